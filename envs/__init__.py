"""The environments, one folder each; ``designgym.registration`` names them."""
