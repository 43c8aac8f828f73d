"""Scripted designers: they make pages by the actions of the workbench."""
