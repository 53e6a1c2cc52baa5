"""Scratch of what is asked for beside steps: analysis, hooks and inverse dynamics."""

from ..tables.fields import table

ANALYSIS_DATA = table("""
vec_num          int     1           vectors of a call
vec_in           real    nvec*nv     vectors that come in
vec_out          real    nvec*nv     vectors that come out
vec_one          real    nv          one of them
vec_two          real    nv          its result
""")

NHOOK = 9  # addresses that the hooks of run/hook_stages.py have
# of functions of the user's, see there
HOOK_DATA = table("""
hook             long  nhook       addresses of hooks in Python
hook_value       real  nu          what one of them returns for each actuator
hook_world       real  1           index of the world
""")

# of inverse dynamics, see physics/inverse.py
INVERSE_DATA = table("""
inv_acc          real  nv          acceleration before it was made continuous
inv_qfrc         real  nv          force of forward dynamics that inverse dynamics overwrites
inv_force        real  nrow        forces of rows in forward dynamics
inv_jar          real  nrow        J qacc - aref in forward dynamics
inv_active       real  nrow        states of rows in forward dynamics
""")

# the same, appended to the scratch, so that what stood before keeps its place
COMPARISON_DATA = table("""
inv_bias         real  nv          bias force that forward dynamics has found (N, N m)
inv_old          real  nv          qfrc_inverse before forward and inverse dynamics are compared
""")
