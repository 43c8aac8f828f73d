"""Designs with known flaws, and the questions that are asked about them."""
