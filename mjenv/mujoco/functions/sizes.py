"""Sizes that arrays must have, beyond what their types say: expressions of other arguments.

One expression is a number of elements, two are a shape. `nstate(m, sig)` is `mj_stateSize`. Rows
apply to all functions that they name.
"""

_JACOBIANS = (
    "mj_jac", "mj_jacBody", "mj_jacBodyCom", "mj_jacGeom", "mj_jacSite", "mj_jacDot",
    "mj_jacSubtreeCom",
)  # fmt: skip
_ALIKE = ("mju_copy", "mju_f2n", "mju_n2f", "mju_d2n", "mju_n2d", "mju_scl", "mju_addTo",
          "mju_subFrom", "mju_addToScl")  # fmt: skip
_BAND = "(ntotal - ndense) * nband + ndense * ntotal"

# functions -> argument -> what it must have
_ROWS: tuple[tuple[tuple[str, ...], dict[str, str]], ...] = (
    (_JACOBIANS, {"jacp": "3, m.nv", "jacr": "3, m.nv"}),
    (("mj_jacPointAxis",), {"jacPoint": "3, m.nv", "jacAxis": "3, m.nv"}),
    (("mj_angmomMat",), {"mat": "3, m.nv"}),
    (("mj_solveM",), {"x": "len(y), m.nv", "y": "len(y), m.nv"}),
    (("mj_solveM2",), {"x": "len(y), m.nv", "y": "len(y), m.nv", "sqrtInvD": "m.nv"}),
    (("mj_rne",), {"result": "m.nv"}),
    (("mj_constraintUpdate",), {"jar": "d.nefc"}),
    (("mj_getState", "mj_setState"), {"state": "nstate(m, sig)"}),
    (("mj_extractState",), {"src": "nstate(m, srcsig)", "dst": "nstate(m, dstsig)"}),
    (("mj_mulJacVec",), {"res": "d.nefc", "vec": "m.nv"}),
    (("mj_mulJacTVec",), {"res": "m.nv", "vec": "d.nefc"}),
    (("mj_mulM", "mj_mulM2"), {"res": "m.nv", "vec": "m.nv"}),
    (("mj_fullM",), {"dst": "m.nv, m.nv", "M": "m.nM"}),
    (("mj_addM",), {"dst": "m.nM", "rownnz": "m.nv", "rowadr": "m.nv", "colind": "m.nM"}),
    (("mj_applyFT",), {"qfrc_target": "m.nv"}),
    (("mj_geomDistance",), {"fromto": "6"}),
    (("mj_differentiatePos",), {"qvel": "m.nv", "qpos1": "m.nq", "qpos2": "m.nq"}),
    (("mj_integratePos",), {"qpos": "m.nq", "qvel": "m.nv"}),
    (("mj_normalizeQuat",), {"qpos": "m.nq"}),
    (("mj_multiRay",), {"dist": "nray", "geomid": "nray", "vec": "3 * nray", "normal": "3 * nray"}),
    (("mj_readSensor",), {"result": "m.sensor_dim[id]"}),
    (("mj_initCtrlHistory",), {
        "times": "m.actuator_history[id, 0]", "values": "m.actuator_history[id, 0]",
    }),
    (("mj_initSensorHistory",), {
        "times": "m.sensor_history[id, 0]", "values": "m.sensor_history[id, 0], m.sensor_dim[id]",
    }),
    (_ALIKE, {"vec": "res.size", "data": "res.size"}),
    (("mju_add", "mju_sub", "mju_addScl"), {"vec1": "res.size", "vec2": "res.size"}),
    (("mju_dot",), {"vec2": "vec1.size"}),
    (("mju_mulMatVec",), {"res": "mat.shape[0]", "vec": "mat.shape[1]"}),
    (("mju_mulMatTVec",), {"res": "mat.shape[1]", "vec": "mat.shape[0]"}),
    (("mju_mulVecMatVec",), {"vec2": "vec1.size", "mat": "vec1.size, vec1.size"}),
    (("mju_transpose",), {"res": "mat.shape[1], mat.shape[0]"}),
    (("mju_symmetrize",), {"mat": "len(mat), len(mat)", "res": "len(mat), len(mat)"}),
    (("mju_eye", "mju_cholFactor"), {"mat": "len(mat), len(mat)"}),
    (("mju_mulMatMat",), {
        "mat2": "mat1.shape[1], mat2.shape[1]", "res": "mat1.shape[0], mat2.shape[1]",
    }),
    (("mju_mulMatMatT",), {
        "mat2": "mat2.shape[0], mat1.shape[1]", "res": "mat1.shape[0], mat2.shape[0]",
    }),
    (("mju_mulMatTMat",), {
        "mat2": "mat1.shape[0], mat2.shape[1]", "res": "mat1.shape[1], mat2.shape[1]",
    }),
    (("mju_sqrMatTD",), {"res": "mat.shape[1], mat.shape[1]", "diag": "mat.shape[0]"}),
    (("mju_dense2sparse",), {"rownnz": "len(mat)", "rowadr": "len(mat)", "colind": "res.size"}),
    (("mju_sparse2dense",), {"rownnz": "len(res)", "rowadr": "len(res)"}),
    (("mju_sym2dense",), {"res": "len(res), len(res)", "rownnz": "len(res)", "rowadr": "len(res)"}),
    (("mju_cholSolve",), {"mat": "len(mat), len(mat)", "res": "len(mat)", "vec": "len(mat)"}),
    (("mju_cholUpdate",), {"mat": "len(mat), len(mat)", "x": "len(mat)"}),
    (("mju_cholFactorBand",), {"mat": _BAND}),
    (("mju_cholSolveBand",), {"mat": _BAND, "res": "ntotal", "vec": "ntotal"}),
    (("mju_band2Dense",), {"mat": _BAND, "res": "ntotal, ntotal"}),
    (("mju_dense2Band",), {"res": _BAND, "mat": "ntotal, ntotal"}),
    (("mju_bandMulMatVec",), {"mat": _BAND, "res": "ntotal", "vec": "ntotal, nvec"}),
    (("mju_boxQP",), {
        "R": "res.size * (res.size + 7)", "index": "res.size", "H": "res.size, res.size",
        "g": "res.size", "lower": "res.size", "upper": "res.size",
    }),
    (("mju_encodePyramid",), {"pyramid": "2 * mu.size", "force": "mu.size + 1"}),
    (("mju_decodePyramid",), {"pyramid": "2 * mu.size", "force": "mu.size + 1"}),
    (("mjd_transitionFD",), {
        "A": "2 * m.nv + m.na, 2 * m.nv + m.na", "B": "2 * m.nv + m.na, m.nu",
        "C": "m.nsensordata, 2 * m.nv + m.na", "D": "m.nsensordata, m.nu",
    }),
    (("mjd_inverseFD",), {
        "DfDq": "m.nv, m.nv", "DfDv": "m.nv, m.nv", "DfDa": "m.nv, m.nv",
        "DsDq": "m.nv, m.nsensordata", "DsDv": "m.nv, m.nsensordata",
        "DsDa": "m.nv, m.nsensordata", "DmDq": "m.nv, m.nM",
    }),
    (("mjd_subQuat",), {"qa": "4", "qb": "4", "Da": "9", "Db": "9"}),
)  # fmt: skip

SIZES = {name: sizes for names, sizes in _ROWS for name in names}
