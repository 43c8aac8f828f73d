"""Rewards: one file each, resolved from a table of import strings."""
