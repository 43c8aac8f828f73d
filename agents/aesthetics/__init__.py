"""Agents for the three aesthetics tasks: constant words, and rules over what the page's pixels show."""
