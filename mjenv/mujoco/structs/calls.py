"""Functions whose kernels are bound to data or to a model, by their places in what is bound."""

OF_DATA = {name: k for k, name in enumerate((
    "mj_jac", "mj_jacDot", "mj_jacBody", "mj_jacBodyCom", "mj_jacGeom", "mj_jacSite",
    "mj_jacSubtreeCom", "mj_angmomMat", "mj_mulM", "mj_mulM2", "mj_solveM",
))}  # fmt: skip
OF_MODEL = {name: k for k, name in enumerate((
    "mj_fullM", "mj_differentiatePos", "mj_integratePos", "mj_normalizeQuat",
))}  # fmt: skip
