"""Where samples come from: generated designs, data sets in their published forms, and frozen benchmarks."""
