"""The model of a run: its files, which of its weights learn, and in which numbers."""
