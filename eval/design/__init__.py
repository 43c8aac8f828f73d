"""What design actions add to a report: GraphicBench's tables, and the pages that were made."""
