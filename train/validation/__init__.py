"""Held-out tasks that are played during the training, and the second judge of them."""
