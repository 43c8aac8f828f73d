"""The environments and their registration."""
