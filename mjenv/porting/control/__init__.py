"""Both ways of every `if`, and loops over what a world may have.

`paths.py` runs a function once for each way through it. `joining.py` and `rewriting.py` write
functions anew, with branches and loops as calls, which `folding.py` and `identity.py` answer;
`held.py` and `effects.py` know what a way has changed.
"""
