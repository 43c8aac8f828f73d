"""Filters: what changes how a picture looks within its box. ``registry.FILTERS`` has all of them by name."""
