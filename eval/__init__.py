"""Running agents on held-out tasks, statistics and reports."""
