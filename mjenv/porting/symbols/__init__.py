"""Arrays of one world without numbers: what numpy's functions record when they get such.

`symbol.py` has the class; `symbol_ufuncs.py`, `symbol_functions.py` and `composed_functions.py`
have numpy's functions by their kind, `mathematics.py` those of `math`, `rotations.py` SciPy's.
The rest are functions that need a file of their own, and what symbols refuse.
"""
