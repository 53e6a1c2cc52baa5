"""References between the integers of a model, and the check that all of them can be used.

Kernels follow ids and addresses without looking whether something lies there. That is why a model
is checked when it is read from a file and when data are made: a number that leads out of an array
is refused by name. What the table of ranges cannot say stands in reference_rules.py.
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..tables import enums
from ..tables.sensor_kinds import NSENS
from .reference_rules import LOOKED_AT, RULES
from .validation import ValidationError, refuse

if TYPE_CHECKING:
    from .model import Model


class Reference(NamedTuple):
    """One row of the table.

    Attributes:
        name: the array.
        low: its smallest value: 0, -1 where there may be nothing, -2 where there may be several.
        high: name of the size or of the constant that all values lie below, or a number.
        count: array of how many there are from an address on; "-": one.
    """

    name: str
    low: int
    high: str | int
    count: str


CONSTANTS = {**vars(enums), "NSENS": NSENS}


def references(text: str) -> tuple[Reference, ...]:
    """Parse the rows of the table."""
    rows = []
    for line in text.strip().splitlines():
        name, low, high, count = line.split()
        below = int(high) if high.isdigit() else CONSTANTS.get(high, high)
        rows.append(Reference(name, int(low), below, count))
    return tuple(rows)


REFERENCES = references("""
body_parentid          0  nbody             -
body_rootid            0  nbody             -
body_weldid            0  nbody             -
body_mocapid          -1  nmocap            -
body_jntadr           -1  njnt              body_jntnum
body_dofadr           -1  nv                body_dofnum
body_treeid           -1  ntree             -
body_geomadr          -1  ngeom             body_geomnum
body_simple            0  3                 -
body_sameframe         0  5                 -
body_plugin           -1  nplugin           -
body_bvhadr           -1  nbvhstatic        body_bvhnum
oct_child             -1  noct              -
jnt_type               0  4                 -
jnt_qposadr            0  nq                -
jnt_dofadr             0  nv                -
jnt_bodyid             0  nbody             -
jnt_actuatorid        -2  nu                -
dof_bodyid             0  nbody             -
dof_jntid              0  njnt              -
dof_parentid          -1  nv                -
dof_treeid             0  ntree             -
dof_Madr               0  nM                -
tree_bodyadr           0  nbody             tree_bodynum
tree_dofadr            0  nv                tree_dofnum
tree_sleep_policy      0  6                 -
geom_type              0  9                 -
geom_bodyid            0  nbody             -
geom_matid            -1  nmat              -
geom_plugin           -1  nplugin           -
geom_sameframe         0  5                 -
site_type              0  9                 -
site_bodyid            0  nbody             -
site_matid            -1  nmat              -
site_sameframe         0  5                 -
cam_mode               0  5                 -
cam_bodyid             0  nbody             -
cam_targetbodyid      -1  nbody             -
cam_projection         0  2                 -
light_mode             0  5                 -
light_bodyid           0  nbody             -
light_targetbodyid    -1  nbody             -
light_type             0  4                 -
light_texid           -1  ntex              -
flex_dim               1  4                 -
flex_matid            -1  nmat              -
flex_nodeadr          -1  nflexnode         flex_nodenum
flex_vertadr          -1  nflexvert         flex_vertnum
flex_edgeadr          -1  nflexedge         flex_edgenum
flex_elemadr          -1  nflexelem         flex_elemnum
flex_elemdataadr      -1  nflexelemdata     -
flex_stiffnessadr     -1  nflexstiffness    -
flex_elemedgeadr      -1  nflexelemedge     -
flex_bendingadr       -1  nflexbending      -
flex_shelldataadr     -1  nflexshelldata    -
flex_evpairadr        -1  nflexevpair       flex_evpairnum
flex_texcoordadr      -1  nflextexcoord     -
flex_nodebodyid        0  nbody             -
flex_vertbodyid       -1  nbody             -
flex_vertedge          0  nflexedge         -
flex_edge              0  nflexvert         -
flex_edgeflap         -1  nflexvert         -
flex_elem              0  nflexvert         -
flex_elemedge          0  nflexedge         -
flex_shell             0  nflexvert         -
flex_bvhadr           -1  nbvh              flex_bvhnum
flexedge_J_rowadr      0  nJfe              flexedge_J_rownnz
flexedge_J_colind      0  nv                -
flexvert_J_colind      0  nv                -
mesh_vertadr           0  nmeshvert         mesh_vertnum
mesh_faceadr           0  nmeshface         mesh_facenum
mesh_bvhadr           -1  nbvhstatic        mesh_bvhnum
mesh_octadr           -1  noct              mesh_octnum
mesh_normaladr         0  nmeshnormal       mesh_normalnum
mesh_texcoordadr      -1  nmeshtexcoord     mesh_texcoordnum
mesh_graphadr         -1  nmeshgraph        -
mesh_pathadr          -1  npaths            -
mesh_polyadr           0  nmeshpoly         mesh_polynum
mesh_polyvertadr       0  nmeshpolyvert     mesh_polyvertnum
mesh_polymapadr        0  nmeshpolymap      mesh_polymapnum
skin_matid            -1  nmat              -
skin_vertadr           0  nskinvert         skin_vertnum
skin_texcoordadr      -1  nskintexvert      -
skin_faceadr           0  nskinface         skin_facenum
skin_boneadr           0  nskinbone         skin_bonenum
skin_bonevertadr       0  nskinbonevert     skin_bonevertnum
skin_bonebodyid        0  nbody             -
skin_pathadr          -1  npaths            -
hfield_pathadr        -1  npaths            -
tex_type               0  3                 -
tex_colorspace         0  3                 -
tex_nchannel           1  5                 -
tex_pathadr           -1  npaths            -
mat_texid             -1  ntex              -
pair_geom1             0  ngeom             -
pair_geom2             0  ngeom             -
eq_type                0  8                 -
tendon_adr             0  nwrap             tendon_num
tendon_matid          -1  nmat              -
tendon_actuatorid     -2  nu                -
tendon_treeid         -1  ntree             -
ten_J_rowadr           0  nJten             ten_J_rownnz
ten_J_colind           0  nv                -
wrap_type              1  6                 -
actuator_trntype       0  6                 -
actuator_dyntype       0  7                 -
actuator_gaintype      0  5                 -
actuator_biastype      0  5                 -
actuator_actadr       -1  na                actuator_actnum
actuator_historyadr   -1  nhistory          -
actuator_plugin       -1  nplugin           -
sensor_type            0  NSENS             -
sensor_datatype        0  4                 -
sensor_needstage       0  4                 -
sensor_adr             0  nsensordata       sensor_dim
sensor_historyadr     -1  nhistory          -
sensor_plugin         -1  nplugin           -
plugin_stateadr       -1  npluginstate      plugin_statenum
plugin_attradr         0  npluginattr       -
numeric_adr            0  nnumericdata      numeric_size
text_adr               0  ntextdata         text_size
tuple_adr              0  ntupledata        tuple_size
name_bodyadr           0  nnames            -
name_jntadr            0  nnames            -
name_geomadr           0  nnames            -
name_siteadr           0  nnames            -
name_camadr            0  nnames            -
name_lightadr          0  nnames            -
name_flexadr           0  nnames            -
name_meshadr           0  nnames            -
name_skinadr           0  nnames            -
name_hfieldadr         0  nnames            -
name_texadr            0  nnames            -
name_matadr            0  nnames            -
name_pairadr           0  nnames            -
name_excludeadr        0  nnames            -
name_eqadr             0  nnames            -
name_tendonadr         0  nnames            -
name_actuatoradr       0  nnames            -
name_sensoradr         0  nnames            -
name_numericadr        0  nnames            -
name_textadr           0  nnames            -
name_tupleadr          0  nnames            -
name_keyadr            0  nnames            -
name_pluginadr         0  nnames            -
B_rowadr               0  nB                B_rownnz
B_colind               0  nv                -
M_rowadr               0  nC                M_rownnz
M_colind               0  nv                -
mapM2M                 0  nM                -
D_rowadr               0  nD                D_rownnz
D_colind               0  nv                -
mapM2D                -1  nC                -
mapD2M                 0  nD                -
""")


def refuse_bad_references(
    model: "Model", where: str = "Data", error: type[Exception] = ValueError
) -> None:
    """Raise an error for a model whose ids, addresses, counts or types lead out of its arrays.

    It takes a millisecond or two. After edits of whole numbers of a model, call it before kernels
    run again; edits of real numbers need it only in `wrap_prm`.

    Args:
        model: a `Model`.
        where: what the message starts with.
        error: the error to raise; its message names the array, the element, and what it may be.
    """
    try:
        for row in REFERENCES:
            if getattr(model, row.name).size:
                check_range(model, row)
        for rule in RULES:
            rule(model)
    except ValidationError as bad:
        raise error(f"{where}: {bad}") from None


def check_range(model: "Model", row: Reference) -> None:
    """Raise `ValidationError` for a value out of the range that the table says."""
    values = getattr(model, row.name).reshape(-1)
    size = row.high if isinstance(row.high, int) else getattr(model, row.high)
    if row.count == "-":
        if values.min() >= row.low and values.max() < size:
            return
        refuse(row.name, (values < row.low) | (values >= size), values, _range(row, size))
        return
    counts = getattr(model, row.count).reshape(-1)
    if counts.min() < 0:
        refuse(row.count, counts < 0, counts, "0 or more")
    # where there is none, an address means nothing
    low = np.where(counts > 0, 0, row.low)
    refuse(row.name, (values < low) | (values > size), values, _range(row, size))
    refuse(row.count, counts > size - values.clip(0), counts, f"no more than end at {row.high}")


def _range(row: Reference, size: int) -> str:
    """Range of values, in words."""
    of = "" if isinstance(row.high, int) else f", below {row.high}"
    return f"{row.low} to {size - 1}{of}"


@cache
def names_checked() -> frozenset[str]:
    """Arrays of whole numbers that the check looks at."""
    counts = {row.count for row in REFERENCES} - {"-"}
    return frozenset({row.name for row in REFERENCES} | counts | set(LOOKED_AT.split()))
