"""Task functions traced: from numpy code to formulas that the engine runs."""
