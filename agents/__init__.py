"""Agents that play the environments: the protocol (`base`), the names (`table`) and the agents themselves, a module each."""
