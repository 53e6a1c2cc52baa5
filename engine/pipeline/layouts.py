"""Layouts of the records that kernels see: the field table, and what the engine adds to it.

`ENGINE_MODEL` is derived from a model when data are made for it; `ENGINE_DATA` is scratch of one
thread. Everything else comes from `fields.py`. In a pack, real arrays hold one number per lane,
integers one for all lanes; integer fields of mjData that differ between worlds are held as reals.
"""

from typing import NamedTuple

from ..bytecode.opcodes import BYTECODE_DATA
from ..physics.actuators import scratch as actuators
from ..physics.capacity import CAPACITY_DATA
from ..physics.collision import scratch as collision
from ..physics.constraint import scratch as constraint
from ..physics.derivative import scratch as derivative
from ..physics.flex import scratch as flex
from ..physics.flex_contacts import scratch as flex_contacts
from ..physics.plugins import scratch as plugins
from ..physics.rays import scratch as rays
from ..physics.results import scratch as results
from ..physics.sensors import scratch as sensors
from ..physics.sleep import scratch as sleep
from ..physics.solver import scratch as solver
from ..simd.record import Layout
from ..tables.fields import CONTACT, DATA, MODEL, OPTION, STATISTIC, Field, table
from .input_snapshot import SNAPSHOT_DATA
from .request_fields import ANALYSIS_DATA, COMPARISON_DATA, HOOK_DATA, INVERSE_DATA
from .timer_tables import TIMER_DATA

ELEMENT = {"size": "size", "int": "i4", "long": "i8", "real": "f8", "float": "f4", "byte": "u1"}
ELEMENT["scalar"] = "f8"  # a real that the lanes of a pack share
ELEMENT["strip"] = "f8"

# candidate geom pairs in contact order, their chains of dofs, and the structure of the solver's
# matrices
OF_MODELS = table("""
ncand            size  -           room for candidate geom pairs
width            size  -           lanes of a pack
nslot            size  -           room for contact slots
nccd             size  -           iterations that convex collision has room for
nccdvert         size  -           support points that a pair of geoms has room for
nccdface         size  -           faces that a pair of geoms has room for
nccdpoly         size  -           corners of a face that convex collision has room for
nseparating      size  -           pairs whose separating axes convex collision remembers
firsthinge       size  -           first joint that is a hinge
endhinge         size  -           joint behind the last hinge
nchain           size  -           nonzeros of the tree structure
ndense           size  -           nonzeros of the dense lower triangle
eq_body1         int   neq         first body that a connect or weld joins
eq_body2         int   neq         second body
eq_chainadr      int   neq         first entry in chain_dof
eq_chainnum      int   neq         dofs that move the two objects
eq_coupled       int   neq         1: the chain spans two branches of the tree
ten_chainadr     int   ntendon     first entry in chain_dof
ten_chainnum     int   ntendon     dofs that change the length
ten_coupled      int   ntendon     1: the chain spans two branches of the tree
chain_rownnz     int   nv          tree structure: ancestors of a dof and itself
chain_rowadr     int   nv          tree structure: first nonzero of a row
chain_colind     int   nchain      tree structure: columns
dense_rownnz     int   nv          dense structure: i + 1
dense_rowadr     int   nv          dense structure: first element of a row
body_lastdof     int   nbody       last dof that moves the body; -1: none
act_dofnum       int   nu          number of dofs that it pushes
act_momentadr    int   nu          first moment arm
act_dof          int   nJmom       dof of each moment arm
wrap_side        int   nwrap       site on whose side a path passes a geom; -1: none
""")


# scratch of one thread
OF_THREADS = table("""
count            int   ncount      shared counters, see enums.py
turn_sin         real  njnt        half the angle of each hinge (rad), then the sine of that
turn_cos         real  njnt        cosine of half the angle
con_any          int   nslot       1: some lane has the contact
con_on           real  nslot       1: the lane has the contact
con_dist         real  nslot       distance (m)
con_pos          real  nslot*3     midpoint (m)
con_frame        real  nslot*9     normal, two tangents
block_type       int   nblock      constraint type (mjtConstraint)
block_id         int   nblock      equality, dof, joint or contact slot
block_dim        int   nblock      basis directions
block_row        int   nblock      first row
block_adr        int   nblock      first element of the Jacobian
block_chainadr   int   nblock      first entry in chain_dof
block_chainnum   int   nblock      dofs of the block
block_jac        real  njac        Jacobians of the basis directions
block_D          real  nblock      inverse regularization; 0: inactive in this lane
block_R          real  nblock      regularization before the lane's mask
block_floss      real  nblock      dry friction (N, N m)
block_bound      real  nblock      dry friction times regularization
block_mu         real  nblock*5    friction coefficients of a contact
block_cone       real  nblock      friction coefficient of the regularized cone
block_base       real  nblock      reference acceleration at rest
block_B          real  nblock      damping of the reference
block_K          real  nblock      stiffness of the reference
block_I          real  nblock      impedance
block_P          real  nblock      derivative of the impedance
block_pos        real  nblock      constraint position
block_margin     real  nblock      constraint margin
lane_on          real  1           1: the lane has a constraint
tree_on          real  ntree       1: the tree is constrained
row_vel          real  nrow        velocity
row_aref         real  nrow        reference acceleration
row_D            real  nrow        inverse regularization
row_floss        real  nrow        dry friction
row_bound        real  nrow        dry friction times regularization
row_jar          real  nrow        J qacc - aref
row_jv           real  nrow        J search
row_active       real  nrow        curvature of the row's cost
row_force        real  nrow        force
sol_Ma           real  nv          M qacc
sol_Mv           real  nv          M search
sol_grad         real  nv          gradient
sol_search       real  nv          search direction
sol_H            real  nhess       Hessian, then its factorization
cone_jac         real  nv*2        gradients of an elliptic cone, across and along it
cone_unit        real  6           direction of slip, times friction
cone_weight      real  6           stiffness of the rows of a cone
cone_pull        real  6           the same times one column of the Jacobian
sol_Hinv         real  nv          inverse of the factorization's diagonal
ten_row          real  nv          gradient of one tendon's length
ten_spring       real  ntendon     force of a tendon's spring (N)
ten_damper       real  ntendon     force of a tendon's damper (N)
wrap_on          real  nwrap       1: the path touches the geom
wrap_touch       real  nwrap*6     where it touches the geom first and last
rne_acc          real  nbody*6     acceleration of a body without qacc
rne_frc          real  nbody*6     force on a body and its descendants
int_acc          real  nv          acceleration that moves qvel
int_vel          real  nv          velocity that moves qpos
rk_qpos          real  nq          position at the start of a step
rk_qvel          real  nv          velocity at the start of a step
rk_vel           real  nv          weighted sum of velocities
rk_acc           real  nv          weighted sum of accelerations
rk_time          real  1           time at the start of a step
warning_number   real  nwarning    warnings since the start of the call
warning_lastinfo real  nwarning    what the last warning was about
warning_reset    real  1           1: the world was reset since the start of the call
reset_now        real  1           1: forward dynamics run again, because this world was reset
export_num       real  16          parameters of the contact that is being listed
""")

# geom pairs that may touch: those of the model, or in large models those of the broad phase
CANDIDATE_DATA = table("""
cand_geom1       int   ncand       geom of the smaller type
cand_geom2       int   ncand       geom of the larger type
cand_predefined  int   ncand       predefined pair with its own parameters; -1: none
cand_slotadr     int   ncand       first contact slot
cand_chainadr    int   ncand       first entry in chain_dof
cand_chainnum    int   ncand       dofs that move the two geoms relative to each other
cand_coupled     int   ncand       1: the chain spans two branches of the tree
slot_cand        int   nslot       candidate pair of a slot
slot_dim         int   nslot       dimensions of the contact force (condim)
collider_adr     int   ncollider   first entry in collider_pair of each narrow phase
collider_num     int   ncollider   candidate pairs of each narrow phase
collider_pair    int   ncand       candidate pairs sorted by narrow phase
chain_dof        int   nchaindof   dofs of rows and pairs; the first nv entries are 0, 1, ...
chain_side       int   nchaindof   1: the dof moves the first object, 2: the second, 3: both
""")
# all of it; machine code in the cache depends on the order
ENGINE_MODEL = (
    *OF_MODELS,
    *collision.LARGE_MODEL_TABLES,
    *sensors.SENSOR_MODEL,
    *actuators.ACTUATOR_MODEL,
    *collision.SAP_MODEL,
    *plugins.PLUGIN_MODEL,
    *flex.FLEX_MODEL,
    *flex_contacts.FLEX_CONTACT_MODEL,
)
ENGINE_DATA = (
    *OF_THREADS,
    *collision.CONVEX_DATA,
    *collision.BOX_DATA,
    *CANDIDATE_DATA,
    *solver.PROBLEM_DATA,
    *rays.RAY_DATA,
    *sensors.SENSOR_DATA,
    *derivative.DERIVATIVE_DATA,
    *actuators.ACTUATOR_DATA,
    *collision.HFIELD_DATA,
    *ANALYSIS_DATA,
    *solver.ISLAND_DATA,
    *CAPACITY_DATA,
    *collision.SEARCH_DATA,
    *collision.DISTANCE_DATA,
    *INVERSE_DATA,
    *HOOK_DATA,
    *solver.ORDERING_DATA,
    *solver.SUPERNODE_DATA,
    *sleep.SLEEP_DATA,
    *solver.SLIP_DATA,
    *solver.SUBPROBLEM_DATA,
    *constraint.FRICTION_REFERENCE_DATA,
    *solver.CG_DATA,
    *collision.SAP_DATA,
    *flex.FLEX_DATA,
    *solver.PROGRESS_DATA,
    *TIMER_DATA,
    *BYTECODE_DATA,
    *sleep.SLEEP_TRANSITION_DATA,
    *sleep.RESTING_DATA,
    *solver.FILL_DATA,
    *solver.LANE_ISLAND_DATA,
    *results.EXPORT_DATA,
    *SNAPSHOT_DATA,
    *sleep.BITS_DATA,
    *sensors.PAST_DATA,
    *collision.SDF_DATA,
    *flex_contacts.FLEX_CONTACT_DATA,
    *solver.STRIP_DATA,
    *flex.FRAME_DATA,
    *flex.FLEX_EDGE_DATA,
    *collision.SDF_STRIP_DATA,
    *constraint.LIKENESS_DATA,
    *collision.PART_DATA,
    *collision.PAIR_DATA,
    *collision.OWN_DATA,
    *derivative.VELOCITY_DATA,
    *COMPARISON_DATA,
    *rays.HEIGHT_DATA,
)


def _contact_rows():
    """Fields of mjContact as arrays of data: contact_dist, contact_pos, ..."""
    return [Field(f"contact_{f.name}", "real", ("nconmax", *f.shape), f.meaning) for f in CONTACT]


# structures and pointers of mjData that have another form here
SKIPPED = {
    "solver",
    "warning",
    "timer",
    "contact",
    "buffer",
    "arena",
    "threadpool",
    "plugin_data",
    "signature",
}
OPTION_ARRAYS = tuple(Field(f"opt_{f.name}", f.type, f.shape or (1,), f.meaning) for f in OPTION)
STATISTIC_ARRAYS = tuple(
    Field(f"stat_{f.name}", f.type, f.shape or (1,), f.meaning) for f in STATISTIC
)
MODEL_ARRAYS = (
    tuple(f for f in MODEL if f.type in ELEMENT and (f.shape or f.type == "size"))
    + OPTION_ARRAYS
    + STATISTIC_ARRAYS
    + ENGINE_MODEL
)
CONTACT_ARRAYS = tuple(_contact_rows())
DATA_ARRAYS = tuple(f for f in DATA if f.name not in SKIPPED)
# fields that no kernel fills, as data make them of others (data/made.py): they get no memory
MADE_OF_OTHERS = ("iefc_", "iM", "iLD", "iacc", "ifrc", "efc_AR")
UNSTORED = frozenset(f.name for f in DATA_ARRAYS if f.name.startswith(MADE_OF_OTHERS))

MODEL_LAYOUT = Layout("model", [(f.name, ELEMENT[f.type]) for f in MODEL_ARRAYS])
DATA_LAYOUT = Layout(
    "data",
    [(f.name, "f8") for f in DATA_ARRAYS + CONTACT_ARRAYS]
    + [(f.name, ELEMENT[f.type], f.type == "scalar", f.type == "strip") for f in ENGINE_DATA],
)


class Phase(NamedTuple):
    """Stages of a program that run one after the other; the driver says when.

    Attributes:
        name: what programs call it.
        meaning: when it runs.
        in_steps: whether it runs in every step.
    """

    name: str
    meaning: str
    in_steps: bool = True


PHASES = (
    Phase("start",     "before the first step", in_steps=False),
    Phase("before",    "before forward dynamics"),
    Phase("forward",   "of forward dynamics"),
    Phase("check",     "between forward dynamics and integration"),
    Phase("rerun",     "of forward dynamics for worlds that were reset", in_steps=False),
    Phase("sense",     "of sensors"),
    Phase("integrate", "of integration"),
    Phase("after",     "after the last step", in_steps=False),
)  # fmt: skip


def _operations() -> tuple[Field, ...]:
    """Of each phase, the number of operations and their addresses."""
    numbers = [Field(f"n{p.name}", "size", (), f"operations {p.meaning}") for p in PHASES]
    return (
        *numbers,
        *(Field(f"op_{p.name}", "long", (f"n{p.name}",), "their addresses") for p in PHASES),
    )


PLAN = _operations() + table("""
npack            long  1           packs to run
nactive          long  1           worlds to run
nstep            long  1           steps
counter          long  1           next pack, shared by threads
world            long  nactive     worlds to run
spare            long  nactive     room to sort them
rating           long  1           address of what they are sorted by, (nworld,)
neighbours       long  1           worlds that are sorted together
width            size  -           lanes of a pack
nin              size  -           fields to gather
nout             size  -           fields to scatter
nback            size  -           further fields to scatter when a world was reset
in_user          long  nin         address of the user's array
in_scratch       long  nin         slot of the scratch field's address in the data record
in_size          long  nin         elements per world
in_integer       long  nin         1: int32
in_model         long  nin         1: the scratch field belongs to the model record
out_user         long  nallout     address of the user's array
out_scratch      long  nallout      slot of the scratch field's address in the data record
out_size         long  nallout      elements per world
out_integer      long  nallout      1: int32
out_list         long  nallout      list of contacts or rows, an index into listed; -1: none
out_each         long  nallout      numbers of an element of the list
out_end          long  nallout      address of how many numbers each world's list has had
warn_number      long  1           address of warning counters
warn_info        long  1           address of warning infos
warned           long  1           1: some world was warned of since this was looked at
back             long  1           operations back to where collision starts again
mode             long  1           0: forward dynamics; 1: steps
look             long  1           address of what lets Python look for signals
again_num        long  1           stages that run again when a tree falls asleep
again_at         long  1           address of their addresses
keeps            long  1           1: the scratch is that of the only world
stop             long  1           1: worlds end after the step that they are in, others stay
""")
PLAN_LAYOUT = Layout("plan", [(f.name, ELEMENT[f.type]) for f in PLAN])
