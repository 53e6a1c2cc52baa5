"""Task functions traced: from numpy code to bytecode that the engine runs."""
