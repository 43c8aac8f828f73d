"""Pictures with captions, from which designs are illustrated."""
