"""Configurations that ship with the package and are found by name."""
