"""Canvas drawing: the incomplete-drawing task of PainterBench, in which an agent draws by tool calls."""
