"""Design aesthetics: generated designs with one planted flaw or none, and questions about them."""
