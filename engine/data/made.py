"""Fields that are made of other results when somebody looks at them, as a table.

No stage computes them, so that they are no work in a step and no memory of a thread. The functions
that make them are named by their file, which is imported when a field of it is read.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..simd.kernel import kernel_at
from ..tables.enums import SOL_PGS

if TYPE_CHECKING:
    from ..tables.typed_fields import DataFields


class Made(NamedTuple):
    """Fields that are made together.

    Attributes:
        fields: their names.
        sources: fields of the data that they are made of.
        maker: file of this folder, and the function in it that makes them of data: arrays by name.
        names: what it is called with besides.
    """

    fields: tuple[str, ...]
    sources: tuple[str, ...]
    maker: str
    names: tuple[str, ...] = ()

    def make(self, data: "DataFields") -> dict[str, np.ndarray]:
        """The fields, by name."""
        return kernel_at(self.maker, __package__)(data, *self.names)


# inverse inertia of the constraint rows
SPARSITY = ("efc_J_rownnz", "efc_J_rowadr", "efc_J_colind")
OF_INERTIA = ("nefc", "efc_J", "efc_R", "qLD", "qLDiagInv", *SPARSITY)
# copies of one value for each dof that lies in an island, and for each constraint row
OF_DOFS = {
    "ifrc_smooth": "qfrc_smooth", "iacc_smooth": "qacc_smooth", "iLDiagInv": "qLDiagInv",
    "iacc": "qacc", "ifrc_constraint": "qfrc_constraint",
}  # fmt: skip
OF_ROWS = {
    f"i{name}": name
    for name in (
        "efc_type", "efc_id", "efc_frictionloss", "efc_D", "efc_R", "efc_aref", "efc_state",
        "efc_force",
    )
}  # fmt: skip
DOF_SOURCES = ("nidof", "map_idof2dof")
ROW_SOURCES = ("nisland", "nefc", "map_iefc2efc")
INERTIA = ("iM_rownnz", "iM_rowadr", "iM_colind", "iM", "iLD")
JACOBIAN = ("iefc_J", "iefc_J_rownnz", "iefc_J_rowadr", "iefc_J_rowsuper", "iefc_J_colind")

MADE = (
    Made(
        ("nA", "efc_AR", "efc_AR_rownnz", "efc_AR_rowadr", "efc_AR_colind"),
        OF_INERTIA,
        "constraint_inertia:constraint_inertia",
    ),
    Made(
        ("solver_nnz",),
        (*OF_INERTIA, "nisland", "efc_island", "dof_island"),
        "solver_nnz:factor_entries",
    ),
    Made(
        INERTIA,
        (*DOF_SOURCES, "M", "qLD", "map_dof2idof", "island_idofadr", "dof_island"),
        "island_order:inertia",
    ),
    Made(
        JACOBIAN,
        (
            *ROW_SOURCES, "efc_J", *SPARSITY, "map_idof2dof", "map_dof2idof", "nidof",
            "island_iefcadr", "island_nefc", "island_idofadr", "island_nv", "efc_island",
        ),
        "island_order:jacobian",
    ),
    *(
        Made((name,), (*DOF_SOURCES, source), "island_order:of_dofs", (name,))
        for name, source in OF_DOFS.items()
    ),
    *(
        Made((name,), (*ROW_SOURCES, source), "island_order:of_rows", (name,))
        for name, source in OF_ROWS.items()
    ),
)  # fmt: skip
MADE_OF = {name: made for made in MADE for name in made.fields}
# those that follow the fields they are copies of, also in single stages
COPIES = frozenset({*INERTIA, *JACOBIAN, *OF_DOFS, *OF_ROWS})


def has_inertia(opt: Any) -> bool:
    """True if MuJoCo computes it with such options: for PGS and for the noslip solver."""
    return opt.solver == SOL_PGS or opt.noslip_iterations > 0
