"""How creative drawings are, and what measures of it are worth: the statistics and tables of PainterBench."""
