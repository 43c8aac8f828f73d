"""GraphicTown: a supervisor and design experts, all one language model, that plan a design in six steps."""
