"""Training data about the aesthetics of designs: question-answer pairs with reasoning that points at regions."""
