"""Scratch of the analysis functions."""

from ..tables.fields import table

ANALYSIS_DATA = table("""
vec_num          int     1           vectors of a call
vec_in           real    nvec*nv     vectors that come in
vec_out          real    nvec*nv     vectors that come out
vec_one          real    nv          one of them
vec_two          real    nv          its result
""")

# of functions of the user's, see hooks.py
HOOK_DATA = table("""
hook             long  nhook       addresses of hooks in Python
hook_value       real  nu          what one of them returns for each actuator
hook_world       real  1           index of the world
""")
