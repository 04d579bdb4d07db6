"""Carrying out a confirmed action: changes, the log of them, simulations and their fairness."""
