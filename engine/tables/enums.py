"""Integer constants of MuJoCo that kernels and the compiler name, with MuJoCo's values."""

# joint types (mjtJoint)
JNT_FREE, JNT_BALL, JNT_SLIDE, JNT_HINGE = range(4)

# geom types (mjtGeom)
GEOM_PLANE, GEOM_HFIELD, GEOM_SPHERE, GEOM_CAPSULE = range(4)
GEOM_ELLIPSOID, GEOM_CYLINDER, GEOM_BOX, GEOM_MESH, GEOM_SDF = range(4, 9)

# camera and light modes (mjtCamLight)
CAMLIGHT_FIXED, CAMLIGHT_TRACK, CAMLIGHT_TRACKCOM, CAMLIGHT_TARGETBODY, CAMLIGHT_TARGETBODYCOM = (
    range(5)
)

# what a frame coincides with (mjtSameFrame)
SAMEFRAME_BODY, SAMEFRAME_INERTIA, SAMEFRAME_BODYROT, SAMEFRAME_INERTIAROT = range(1, 5)

# constraint types (mjtConstraint)
CNSTR_EQUALITY, CNSTR_FRICTION_DOF, CNSTR_FRICTION_TENDON = range(3)
CNSTR_LIMIT_JOINT, CNSTR_LIMIT_TENDON = range(3, 5)
CNSTR_CONTACT_FRICTIONLESS, CNSTR_CONTACT_PYRAMIDAL, CNSTR_CONTACT_ELLIPTIC = range(5, 8)

# constraint states (mjtConstraintState)
STATE_SATISFIED, STATE_QUADRATIC, STATE_LINEARNEG, STATE_LINEARPOS, STATE_CONE = range(5)

# integrators, solvers, cones (mjtIntegrator, mjtSolver, mjtCone)
INT_EULER, INT_RK4, INT_IMPLICIT, INT_IMPLICITFAST = range(4)
SOL_PGS, SOL_CG, SOL_NEWTON = range(3)
CONE_PYRAMIDAL, CONE_ELLIPTIC = range(2)

# forms of the constraint Jacobian (mjtJacobian); auto: dense below 60 dofs
JAC_DENSE, JAC_SPARSE, JAC_AUTO = range(3)
MAX_DENSE = 60

# disable flags (mjtDisableBit)
DSBL_CONSTRAINT, DSBL_EQUALITY, DSBL_FRICTIONLOSS, DSBL_LIMIT = (1 << k for k in range(4))
DSBL_CONTACT, DSBL_SPRING, DSBL_DAMPER, DSBL_GRAVITY = (1 << k for k in range(4, 8))
DSBL_CLAMPCTRL, DSBL_WARMSTART, DSBL_FILTERPARENT, DSBL_ACTUATION = (1 << k for k in range(8, 12))
DSBL_REFSAFE, DSBL_SENSOR, DSBL_MIDPHASE, DSBL_EULERDAMP = (1 << k for k in range(12, 16))
DSBL_AUTORESET, DSBL_NATIVECCD, DSBL_ISLAND, DSBL_MULTICCD = (1 << k for k in range(16, 20))

# enable flags (mjtEnableBit)
ENBL_OVERRIDE, ENBL_ENERGY, ENBL_FWDINV, ENBL_INVDISCRETE, ENBL_SLEEP = (1 << k for k in range(5))

# actuators (mjtTrn, mjtDyn, mjtGain, mjtBias)
TRN_JOINT, TRN_JOINTINPARENT, TRN_SLIDERCRANK, TRN_TENDON, TRN_SITE, TRN_BODY = range(6)
DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_FILTEREXACT, DYN_MUSCLE, DYN_DCMOTOR, DYN_USER = range(7)
GAIN_FIXED, GAIN_AFFINE, GAIN_MUSCLE, GAIN_DCMOTOR, GAIN_USER = range(5)
BIAS_NONE, BIAS_AFFINE, BIAS_MUSCLE, BIAS_DCMOTOR, BIAS_USER = range(5)

# equality constraints (mjtEq) and what they join (mjtObj)
EQ_CONNECT, EQ_WELD, EQ_JOINT, EQ_TENDON, EQ_FLEX, EQ_FLEXVERT, EQ_FLEXSTRAIN = range(7)
OBJ_UNKNOWN, OBJ_BODY, OBJ_SITE = 0, 1, 6

# things along the paths of tendons (mjtWrap)
WRAP_JOINT, WRAP_PULLEY, WRAP_SITE, WRAP_SPHERE, WRAP_CYLINDER = range(1, 6)

# whether trees may sleep (mjtSleepPolicy)
SLEEP_AUTO_NEVER, SLEEP_NEVER, SLEEP_ALLOWED, SLEEP_INIT = 1, 3, 4, 5

# warnings (mjtWarning)
WARN_INERTIA, WARN_CONTACTFULL, WARN_CNSTRFULL = range(3)
WARN_BADQPOS, WARN_BADQVEL, WARN_BADQACC, WARN_BADCTRL = range(3, 7)
NWARNING = 7

# limits of MuJoCo
MINIMP, MAXIMP = 0.0001, 0.9999  # range of constraint impedance
MINVAL = 1e-15  # smallest divisor, and size, mass or inertia that counts as nonzero
MINMU = 1e-5  # smallest friction coefficient
MAXVAL = 1e10  # largest magnitude of a state that is not bad

# how a deformable collides with itself (mjtFlexSelf)
FLEXSELF_NONE, FLEXSELF_NARROW, FLEXSELF_BVH, FLEXSELF_SAP, FLEXSELF_AUTO = range(5)

# shared counters of a pack, indices into the field `count`
COUNT_BLOCK, COUNT_ROW, COUNT_FRICTION, COUNT_JACOBIAN, COUNT_COUPLED = range(5)
COUNT_PLAIN, COUNT_CONE = range(5, 7)  # rows and blocks before contacts with elliptic cones
COUNT_RERUN, COUNT_XFRC, COUNT_WARNED = range(7, 10)
COUNT_CAND, COUNT_SLOT = range(10, 12)  # candidate pairs, and slots of their contacts
COUNT_SEARCH, COUNT_FOUND = range(12, 14)  # progress of the broad phase, pairs that it found
COUNT_FULL = 14  # 1: a pair of geoms had more contacts than slots
COUNT_JUMP = 15  # where to go on after a stage: see below
COUNT_SLEPT = 16  # 1: a tree fell asleep in this step
COUNT_KNOWN = 17  # 1: what does not move is known from the step before
COUNT_MIDPAIR, COUNT_FLEX_CONTACT = range(
    18, 20
)  # meetings of deformables, room for their contacts
COUNT_MET, COUNT_KEPT = range(20, 22)  # progress of their search; contacts that are left
COUNT_LOOK = 22  # 1: signals are to be looked for
COUNT_FAILED = 23  # 1: an error was found in this call, or raised by a signal's handler
COUNT_OWN = 24  # contacts that users own, see collision/own_contacts.py
NCOUNT = 25
# where to go on: next stage; collision again, as trees woke up; past the other stages of the phase
JUMP_NOWHERE, JUMP_BACK, JUMP_OUT = range(3)
NISLAND = 20  # islands with statistics of the solver (mjNISLAND)

# sensors that code names (mjtSensor; sensor_kinds.py has all), how they are bounded (mjtDataType),
# when they can be read (mjtStage)
SENS_RANGEFINDER, SENS_BALLQUAT, SENS_BALLANGVEL = 7, 18, 19
SENS_GEOMDIST, SENS_GEOMNORMAL, SENS_GEOMFROMTO, SENS_CONTACT = range(39, 43)
SENS_TACTILE, SENS_PLUGIN, SENS_USER = range(46, 49)
REDUCE_NONE, REDUCE_MINDIST, REDUCE_MAXFORCE, REDUCE_NETFORCE = range(4)  # contacts
PROJ_PERSPECTIVE = 0  # mjtProjection
DATATYPE_REAL, DATATYPE_POSITIVE = range(2)
STAGE_NONE, STAGE_POS, STAGE_VEL, STAGE_ACC = range(4)

# things that have a frame (mjtObj), beside OBJ_BODY (its inertial frame) and OBJ_SITE
OBJ_XBODY, OBJ_GEOM, OBJ_CAMERA = 2, 5, 7
# and others that sensors measure
OBJ_JOINT, OBJ_TENDON, OBJ_ACTUATOR = 3, 18, 19
