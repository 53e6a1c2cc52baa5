"""Fields that are made of other results when somebody looks at them, as a table.

No stage computes them, so that they are no work in a step and no memory of a thread.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import constraint_inertia, island_order, solver_nnz

if TYPE_CHECKING:
    from .data import Data


class Made(NamedTuple):
    """Fields that are made together.

    Attributes:
        fields: their names.
        sources: fields of the data that they are made of.
        make: makes them of data: arrays by name.
    """

    fields: tuple[str, ...]
    sources: tuple[str, ...]
    make: Callable[["Data"], dict[str, np.ndarray]]


def _alone(name: str, make: Callable[["Data", str], np.ndarray], data: "Data") -> dict:
    """A field that is made without others."""
    return {name: make(data, name)}


MADE = (
    Made(
        constraint_inertia.FIELDS, constraint_inertia.SOURCES, constraint_inertia.constraint_inertia
    ),
    Made(
        ("solver_nnz",), solver_nnz.SOURCES, lambda d: {"solver_nnz": solver_nnz.factor_entries(d)}
    ),
    Made(island_order.INERTIA, island_order.INERTIA_SOURCES, island_order.inertia),
    Made(island_order.JACOBIAN, island_order.JACOBIAN_SOURCES, island_order.jacobian),
    *(
        Made(
            (name,),
            (*island_order.DOF_SOURCES, source),
            partial(_alone, name, island_order.of_dofs),
        )
        for name, source in island_order.OF_DOFS.items()
    ),
    *(
        Made(
            (name,),
            (*island_order.ROW_SOURCES, source),
            partial(_alone, name, island_order.of_rows),
        )
        for name, source in island_order.OF_ROWS.items()
    ),
)
MADE_OF = {name: made for made in MADE for name in made.fields}
# those that follow the fields they are copies of, also in single stages
COPIES = frozenset(
    {*island_order.INERTIA, *island_order.JACOBIAN, *island_order.OF_DOFS, *island_order.OF_ROWS}
)
