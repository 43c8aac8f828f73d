"""Design actions: a designer's workbench with the 46 actions of GraphicTown, and briefs to work from."""
