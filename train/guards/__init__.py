"""What ends or explains a run that goes wrong, and what lets it go on."""
