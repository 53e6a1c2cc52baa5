"""What differs between worlds besides numbers, on symbols.

Words, lists and sets (`rosters.py`), dicts (`registers.py`), contacts, elements at a place that
values give, and types; `choices.py` joins what several ways have made.
"""
