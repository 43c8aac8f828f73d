"""Models behind chat endpoints as players."""
