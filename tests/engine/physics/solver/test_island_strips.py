"""Strips of large islands: products in the bits of those element by element."""

import numpy as np
import pytest

import mjenv
from mjenv.engine.physics.constraint.jacobian import add_chain, chain_product
from mjenv.engine.physics.solver.island_strips import (
    GROUPED,
    NBASE,
    NLONG,
    NROWSTRIP,
    push_places,
    row_product,
    spread_threes,
)
from mjenv.engine.physics.solver.problem import (
    END_BLOCK,
    END_DOF,
    FIRST_BLOCK,
    FIRST_DOF,
    FIRST_ROW,
)
from mjenv.engine.simd.kernel import call_of, kernel
from mjenv.engine.simd.lanes import store_strip
from mjenv.engine.simd.record import STRIP

CLOTH = """
<mujoco>
  <option solver="CG" timestep=".001"/>
  <worldbody>
    <flexcomp name="cloth" type="grid" dim="2" count="{} 7 1"
        spacing=".05 .05 .05" pos="0 0 1" mass="1" radius=".005">
      <edge equality="true"/>
      <contact condim="3" selfcollide="none"/>
      <pin id="0 6"/>
    </flexcomp>
    <body pos="0 .02 1.053">{}<geom type="box" size=".09 .09 .05"/></body>
  </worldbody>
</mujoco>"""
# a hinge has one dof, so that not all rows have dofs by threes
BODIES = {"free": "<freejoint/>", "sliding": '<joint type="slide"/><joint axis="1 0 0"/>'}


@kernel
def both_products(m, d):
    """Products of the last island by strips, and element by element into row_jv and sol_grad."""
    p, first = d.problem, d.problem[FIRST_ROW]
    # one number after the other, of both signs
    for k in range(p[FIRST_DOF], p[END_DOF]):
        d.place_search[k] = 1.0 / (k + 3.0) - 0.01 * (k % 7)
        d.sol_search[d.place_dof[k]], d.sol_grad[d.place_dof[k]] = d.place_search[k], 0.0
    nbase = d.isl_strip[NBASE]
    for k in range(nbase):
        d.base_force[first + k] = 1.0 / (k + 2.0) - 0.02 * (k % 5)
    # by strips
    if d.isl_strip[GROUPED]:
        spread_threes(d)
    for s in range(d.isl_strip[NROWSTRIP]):
        store_strip(d.base_jv, first + STRIP * s, nbase - STRIP * s, row_product(d, s))
    push_places(d, d.base_force, first)
    # element by element
    at = first
    for i in range(p[FIRST_BLOCK], p[END_BLOCK]):
        b = d.block_list[i]
        n, chainadr = d.block_chainnum[b], d.block_chainadr[b]
        for k in range(d.block_dim[b]):
            adr = d.block_adr[b] + k * n
            d.row_jv[at] = chain_product(m, d, adr, n, chainadr, d.sol_search)
            add_chain(m, d, d.sol_grad, adr, n, chainadr, d.base_force[at])
            at += 1


@pytest.mark.parametrize("count", [7, 8])
@pytest.mark.parametrize("body", BODIES)
def test_same_bits_as_element_by_element(body, count):
    model = mjenv.Model.from_xml_string(CLOTH.format(count, BODIES[body]))
    data = mjenv.Data(model, keep=["ncon"], nthread=1, large_model=True)
    mjenv.step(model, data, 3)
    assert data.ncon[0] > 8
    scratch = data.plan.threads(1)[0]
    call_of(both_products, data.plan.records, (scratch.model, scratch.data))()
    arrays = scratch.data.arrays
    shape, problem = arrays["isl_strip"], arrays["problem"]
    first, n = problem[FIRST_ROW], shape[NBASE]
    assert n >= 64
    # the body has contacts with many vertices: a list of its own, where dofs lie in groups
    assert shape[GROUPED] == (body == "free")
    assert (shape[NLONG] > 0) == (body == "free")
    rows = arrays["base_jv"][first : first + n]
    assert rows.any()
    np.testing.assert_array_equal(rows, arrays["row_jv"][first : first + n])
    places = slice(problem[FIRST_DOF], problem[END_DOF])
    forces = arrays["sol_grad"][arrays["place_dof"][places]]
    assert forces.any()
    np.testing.assert_array_equal(arrays["place_frc"][places], forces)
