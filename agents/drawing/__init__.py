"""What the scripted drawing agents draw, and how a drawing is laid on a starting shape."""
