"""Blocks: simple pages of a few elements with one glaring flaw, from which a tiny model learns within minutes."""
