"""Judges: who answers questions about a finished page, and what the questions mean."""
