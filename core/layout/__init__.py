"""The layout engine: formats, grids, type and palettes, from which briefs become designs."""
