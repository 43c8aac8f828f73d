"""What drawing adds to the report of an evaluation, after PainterBench: tools, revision, ink and the shapes."""
