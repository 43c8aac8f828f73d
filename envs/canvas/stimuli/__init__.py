"""The starting shapes: the bank of thirty for testing, and seeded ones for training and validation."""
