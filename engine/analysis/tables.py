"""Scratch of the analysis functions."""

from ..fields import table

ANALYSIS_DATA = table("""
vec_num          int     1           vectors of a call
vec_in           real    nvec*nv     vectors that come in
vec_out          real    nvec*nv     vectors that come out
vec_one          real    nv          one of them
vec_two          real    nv          its result
""")
