"""The field table: every field of mjModel, mjData and the structures inside them, declared once.

The table generates the records that kernels read, the allocation of models and data, the arrays that
users see, the binary file format and the documentation. Columns: name, type, shape in terms of sizes
(`-` for a scalar), meaning with units. MuJoCo 3.8.1 is the reference for names, order, shapes and types.
"""

from typing import NamedTuple

DTYPES = {
    "size": "i8",  # a size or a counter, a scalar
    "int": "i4",
    "long": "i8",
    "real": "f8",
    "float": "f4",
    "byte": "u1",
    "char": "S1",
}


class Field(NamedTuple):
    """One row of the table.

    Attributes:
        name: the field's name, as in MuJoCo.
        type: a key of `DTYPES`, the name of a structure, or "pointer" (internal to MuJoCo).
        shape: dimensions, each the name of a size or an int; empty for a scalar.
        meaning: what it holds, with units.
    """

    name: str
    type: str
    shape: tuple[str | int, ...]
    meaning: str


def table(text: str) -> tuple[Field, ...]:
    """Parse the rows of one structure."""
    fields = []
    for line in text.strip().splitlines():
        name, kind, shape, meaning = line.split(None, 3)
        dims = () if shape == "-" else tuple(int(n) if n.isdigit() else n for n in shape.split("*"))
        fields.append(Field(name, kind, dims, meaning))
    return tuple(fields)


# what only pictures read of a model, and may differ between worlds
LOOKS = (
    *("geom_rgba", "site_rgba", "mat_rgba", "mat_emission", "mat_specular", "mat_shininess"),
    *("mat_reflectance", "light_ambient", "light_diffuse", "light_specular"),
    *("light_attenuation", "light_cutoff", "light_exponent"),
)
# all that may differ between worlds without lanes: kernels read heights where they lie
WITHOUT_LANES = (*LOOKS, "hfield_data")

# mjModel: sizes, then arrays, in the order of the struct.
MODEL = table("""
nq                     size     -                     length of the configuration qpos
nv                     size     -                     degrees of freedom, the length of qvel
nu                     size     -                     actuators, the length of ctrl
na                     size     -                     activation variables, the length of act
nbody                  size     -                     bodies, the world being body 0
nbvh                   size     -                     nodes in all bounding volume trees
nbvhstatic             size     -                     tree nodes whose box is fixed in a body
nbvhdynamic            size     -                     tree nodes whose box moves (flexes)
noct                   size     -                     cells in all mesh octrees
njnt                   size     -                     joints
ntree                  size     -                     kinematic trees that hang from the world
nM                     size     -                     entries of qM, the ancestor-list inertia
nB                     size     -                     entries of the body-to-dof pattern
nC                     size     -                     entries of M and its factors (lower triangle)
nD                     size     -                     entries of the full (two-sided) dof pattern
ngeom                  size     -                     geoms
nsite                  size     -                     sites
ncam                   size     -                     cameras
nlight                 size     -                     lights
nflex                  size     -                     flexes (deformable objects)
nflexnode              size     -                     control nodes of all flexes
nflexvert              size     -                     vertices of all flexes
nflexedge              size     -                     edges of all flexes
nflexelem              size     -                     elements of all flexes
nflexelemdata          size     -                     vertex ids of all flex elements
nflexstiffness         size     -                     entries of all flex stiffness matrices
nflexbending           size     -                     entries of all flex bending terms
nflexelemedge          size     -                     edge ids of all flex elements
nflexshelldata         size     -                     vertex ids of all flex shell pieces
nflexevpair            size     -                     element-vertex candidates for self-collision
nflextexcoord          size     -                     flex vertices that have texture coordinates
nJfe                   size     -                     entries of the edge length Jacobian
nJfv                   size     -                     entries of the vertex strain Jacobian
nmesh                  size     -                     meshes
nmeshvert              size     -                     vertices of all meshes
nmeshnormal            size     -                     normals of all meshes
nmeshtexcoord          size     -                     texture coordinates of all meshes
nmeshface              size     -                     triangles of all meshes
nmeshgraph             size     -                     ints in all convex hull graphs
nmeshpoly              size     -                     polygons of all meshes
nmeshpolyvert          size     -                     vertex ids of all mesh polygons
nmeshpolymap           size     -                     polygon ids listed per mesh vertex
nskin                  size     -                     skins
nskinvert              size     -                     vertices of all skins
nskintexvert           size     -                     skin vertices that have texture coordinates
nskinface              size     -                     triangles of all skins
nskinbone              size     -                     bones of all skins
nskinbonevert          size     -                     vertex-weight pairs of all bones
nhfield                size     -                     height fields
nhfielddata            size     -                     samples of all height fields
ntex                   size     -                     textures
ntexdata               size     -                     bytes of all textures
nmat                   size     -                     materials
npair                  size     -                     geom pairs listed for collision
nexclude               size     -                     body pairs that never collide
neq                    size     -                     equality constraints
ntendon                size     -                     tendons
nJten                  size     -                     entries of the tendon Jacobian
nwrap                  size     -                     objects along all tendon paths
nsensor                size     -                     sensors
nnumeric               size     -                     custom number fields
nnumericdata           size     -                     values in all custom number fields
ntext                  size     -                     custom text fields
ntextdata              size     -                     bytes in all custom text fields
ntuple                 size     -                     custom tuples
ntupledata             size     -                     members of all custom tuples
nkey                   size     -                     keyframes
nmocap                 size     -                     bodies moved by motion capture
nplugin                size     -                     plugin instances
npluginattr            size     -                     bytes of all plugin settings
nuser_body             size     -                     user values per body
nuser_jnt              size     -                     user values per joint
nuser_geom             size     -                     user values per geom
nuser_site             size     -                     user values per site
nuser_cam              size     -                     user values per camera
nuser_tendon           size     -                     user values per tendon
nuser_actuator         size     -                     user values per actuator
nuser_sensor           size     -                     user values per sensor
nnames                 size     -                     bytes of all names
npaths                 size     -                     bytes of all asset paths
nnames_map             size     -                     slots of the name hash table
nJmom                  size     -                     entries of the actuator moment matrix
ngravcomp              size     -                     bodies that compensate gravity
nemax                  size     -                     most rows that equalities can make
njmax                  size     -                     row limit from old files; -1: no limit
nconmax                size     -                     contact limit from old files; -1: no limit
nuserdata              size     -                     values of userdata
nsensordata            size     -                     values of sensordata
npluginstate           size     -                     values of plugin_state
nhistory               size     -                     values of the delay buffer
narena                 size     -                     bytes of the arena that MuJoCo would allocate
nbuffer                size     -                     bytes of all model arrays in MuJoCo
buffer                 pointer  -                     memory block; internal to MuJoCo
qpos0                  real     nq                    reference configuration (m, rad, quaternions)
qpos_spring            real     nq                    configuration where springs rest (m, rad)
body_parentid          int      nbody                 parent body
body_rootid            int      nbody                 ancestor whose parent is the world
body_weldid            int      nbody                 ancestor that this body moves rigidly with
body_mocapid           int      nbody                 row in mocap_pos; -1: not motion capture
body_jntnum            int      nbody                 joints of the body
body_jntadr            int      nbody                 first joint; -1: none
body_dofnum            int      nbody                 degrees of freedom of the body
body_dofadr            int      nbody                 first degree of freedom; -1: none
body_treeid            int      nbody                 kinematic tree; -1: fixed to the world
body_geomnum           int      nbody                 geoms of the body
body_geomadr           int      nbody                 first geom; -1: none
body_simple            byte     nbody                 1: its block of M is diagonal; 2: slides only
body_sameframe         byte     nbody                 which frames coincide with the inertia's
body_pos               real     nbody*3               position in the parent's frame (m)
body_quat              real     nbody*4               orientation in the parent's frame
body_ipos              real     nbody*3               centre of mass in the body frame (m)
body_iquat             real     nbody*4               principal axes of inertia in the body frame
body_mass              real     nbody                 mass (kg)
body_subtreemass       real     nbody                 mass of the body and all below it (kg)
body_inertia           real     nbody*3               principal moments of inertia (kg m^2)
body_invweight0        real     nbody*2               mean inverse inertia at qpos0 (1/kg, 1/(kg m^2))
body_gravcomp          real     nbody                 share of its weight lifted by a force
body_margin            real     nbody                 largest margin of its geoms (m)
body_user              real     nbody*nuser_body      values for the user
body_plugin            int      nbody                 plugin instance; -1: none
body_contype           int      nbody                 union of its geoms' contact types (bits)
body_conaffinity       int      nbody                 union of its geoms' affinities (bits)
body_bvhadr            int      nbody                 root of its bounding volume tree; -1: none
body_bvhnum            int      nbody                 nodes of its bounding volume tree
bvh_depth              int      nbvh                  levels below the root
bvh_child              int      nbvh*2                the two child nodes; -1: leaf
bvh_nodeid             int      nbvh                  geom or element in a leaf; -1: inner node
bvh_aabb               real     nbvhstatic*6          box in the inertial frame: centre, half sizes (m)
oct_depth              int      noct                  levels below the root
oct_child              int      noct*8                the eight child cells; -1: none
oct_aabb               real     noct*6                box of the cell: centre, half sizes (m)
oct_coeff              real     noct*8                signed distance at the cell's corners (m)
jnt_type               int      njnt                  mjtJoint: free, ball, slide, hinge
jnt_qposadr            int      njnt                  first of its values in qpos
jnt_dofadr             int      njnt                  first of its values in qvel
jnt_bodyid             int      njnt                  body that it moves
jnt_actuatorid         int      njnt                  actuator that adds damping, armature; -1: none
jnt_group              int      njnt                  visibility group
jnt_limited            byte     njnt                  1: jnt_range is enforced
jnt_actfrclimited      byte     njnt                  1: jnt_actfrcrange is enforced
jnt_actgravcomp        byte     njnt                  1: gravity compensation counts as actuation
jnt_solref             real     njnt*2                limit: time constant (s) and damping ratio
jnt_solimp             real     njnt*5                limit: impedance curve
jnt_pos                real     njnt*3                anchor in the body frame (m)
jnt_axis               real     njnt*3                unit axis in the body frame
jnt_stiffness          real     njnt                  spring constant (N/m, N m/rad)
jnt_stiffnesspoly      real     njnt*2                spring terms of second and third order
jnt_range              real     njnt*2                lower and upper limit (m, rad)
jnt_actfrcrange        real     njnt*2                bounds on the summed actuator force (N, N m)
jnt_margin             real     njnt                  distance where the limit starts to act (m, rad)
jnt_user               real     njnt*nuser_jnt        values for the user
dof_bodyid             int      nv                    body that it moves
dof_jntid              int      nv                    joint that it belongs to
dof_parentid           int      nv                    next dof towards the root; -1: none
dof_treeid             int      nv                    kinematic tree
dof_Madr               int      nv                    its diagonal entry in qM
dof_simplenum          int      nv                    simple dofs in a row from this one on
dof_solref             real     nv*2                  friction loss: time constant (s), damping ratio
dof_solimp             real     nv*5                  friction loss: impedance curve
dof_frictionloss       real     nv                    dry friction (N, N m)
dof_armature           real     nv                    rotor inertia on the diagonal of M (kg, kg m^2)
dof_damping            real     nv                    viscous damping (N s/m, N m s/rad)
dof_dampingpoly        real     nv*2                  damping terms of second and third order
dof_invweight0         real     nv                    inverse inertia at qpos0 (1/kg, 1/(kg m^2))
dof_M0                 real     nv                    diagonal of M at qpos0 (kg, kg m^2)
dof_length             real     nv                    1 if linear, else the typical lever arm (m)
tree_bodyadr           int      ntree                 first body of the tree
tree_bodynum           int      ntree                 bodies of the tree
tree_dofadr            int      ntree                 first degree of freedom of the tree
tree_dofnum            int      ntree                 degrees of freedom of the tree
tree_sleep_policy      int      ntree                 mjtSleepPolicy: whether the tree may sleep
geom_type              int      ngeom                 mjtGeom: plane, sphere, capsule, box, ...
geom_contype           int      ngeom                 contact type (bits)
geom_conaffinity       int      ngeom                 contact types that it meets (bits)
geom_condim            int      ngeom                 directions of contact forces: 1, 3, 4 or 6
geom_bodyid            int      ngeom                 body that carries it
geom_dataid            int      ngeom                 mesh or height field of its shape; -1: none
geom_matid             int      ngeom                 material; -1: none
geom_group             int      ngeom                 visibility group
geom_priority          int      ngeom                 the geom of higher priority sets the contact
geom_plugin            int      ngeom                 plugin instance; -1: none
geom_sameframe         byte     ngeom                 which frame of the body it coincides with
geom_solmix            real     ngeom                 weight of its solver parameters in a contact
geom_solref            real     ngeom*2               contact: time constant (s) and damping ratio
geom_solimp            real     ngeom*5               contact: impedance curve
geom_size              real     ngeom*3               radii, half lengths, as the type needs (m)
geom_aabb              real     ngeom*6               box in its own frame: centre, half sizes (m)
geom_rbound            real     ngeom                 radius of a sphere around it (m); 0: infinite
geom_pos               real     ngeom*3               position in the body frame (m)
geom_quat              real     ngeom*4               orientation in the body frame
geom_friction          real     ngeom*3               sliding (1), torsional (m), rolling (m)
geom_margin            real     ngeom                 distance where contacts start to exist (m)
geom_gap               real     ngeom                 part of the margin without force (m)
geom_fluid             real     ngeom*12              ellipsoid model: flag, drag, lift, added mass
geom_user              real     ngeom*nuser_geom      values for the user
geom_rgba              float    ngeom*4               colour and opacity, where no material is set
site_type              int      nsite                 mjtGeom: shape that is drawn
site_bodyid            int      nsite                 body that carries it
site_matid             int      nsite                 material; -1: none
site_group             int      nsite                 visibility group
site_sameframe         byte     nsite                 which frame of the body it coincides with
site_size              real     nsite*3               radii, half lengths of the shape (m)
site_pos               real     nsite*3               position in the body frame (m)
site_quat              real     nsite*4               orientation in the body frame
site_user              real     nsite*nuser_site      values for the user
site_rgba              float    nsite*4               colour and opacity, where no material is set
cam_mode               int      ncam                  mjtCamLight: fixed, tracking or targeting
cam_bodyid             int      ncam                  body that carries it
cam_targetbodyid       int      ncam                  body that it looks at; -1: none
cam_pos                real     ncam*3                position in the body frame (m)
cam_quat               real     ncam*4                orientation in the body frame
cam_poscom0            real     ncam*3                offset from the subtree's centre at qpos0 (m)
cam_pos0               real     ncam*3                offset from the body, world axes, at qpos0 (m)
cam_mat0               real     ncam*9                orientation in the world at qpos0
cam_projection         int      ncam                  mjtProjection: perspective or orthographic
cam_fovy               real     ncam                  vertical view: angle (deg) or, orthographic, m
cam_ipd                real     ncam                  distance between the eyes (m)
cam_resolution         int      ncam*2                width, height (pixels)
cam_output             int      ncam                  images that it delivers (bits of mjtCamOut)
cam_sensorsize         float    ncam*2                width, height of the sensor (m)
cam_intrinsic          float    ncam*4                focal lengths x, y; principal point x, y (m)
cam_user               real     ncam*nuser_cam        values for the user
light_mode             int      nlight                mjtCamLight: fixed, tracking or targeting
light_bodyid           int      nlight                body that carries it
light_targetbodyid     int      nlight                body that it points at; -1: none
light_type             int      nlight                mjtLightType: spot, directional, point, image
light_texid            int      nlight                texture of an image light; -1: none
light_castshadow       byte     nlight                1: casts shadows
light_bulbradius       float    nlight                radius of the bulb, for soft shadows (m)
light_intensity        float    nlight                luminous intensity (cd)
light_range            float    nlight                reach (m)
light_active           byte     nlight                1: on
light_pos              real     nlight*3              position in the body frame (m)
light_dir              real     nlight*3              direction in the body frame
light_poscom0          real     nlight*3              offset from the subtree's centre at qpos0 (m)
light_pos0             real     nlight*3              offset from the body, world axes, at qpos0 (m)
light_dir0             real     nlight*3              direction in the world at qpos0
light_attenuation      float    nlight*3              constant, linear (1/m), quadratic (1/m^2) decay
light_cutoff           float    nlight                half angle of the cone (deg)
light_exponent         float    nlight                how sharply the cone fades from its axis
light_ambient          float    nlight*3              ambient colour
light_diffuse          float    nlight*3              diffuse colour
light_specular         float    nlight*3              specular colour
flex_contype           int      nflex                 contact type (bits)
flex_conaffinity       int      nflex                 contact types that it meets (bits)
flex_condim            int      nflex                 directions of contact forces: 1, 3, 4 or 6
flex_priority          int      nflex                 the object of higher priority sets the contact
flex_solmix            real     nflex                 weight of its solver parameters in a contact
flex_solref            real     nflex*2               contact: time constant (s) and damping ratio
flex_solimp            real     nflex*5               contact: impedance curve
flex_friction          real     nflex*3               sliding (1), torsional (m), rolling (m)
flex_margin            real     nflex                 distance where contacts start to exist (m)
flex_gap               real     nflex                 part of the margin without force (m)
flex_internal          byte     nflex                 1: vertices collide with own elements
flex_selfcollide       int      nflex                 mjtFlexSelf: how elements collide
flex_activelayers      int      nflex                 element layers from the surface that collide
flex_passive           int      nflex                 1: contacts act as passive forces
flex_dim               int      nflex                 1: cable, 2: cloth, 3: solid
flex_matid             int      nflex                 material; -1: none
flex_group             int      nflex                 visibility group
flex_interp            int      nflex                 order of node interpolation; 0: free vertices
flex_bandwidth         int      nflex                 half bandwidth of the stiffness system
flex_cellnum           int      nflex*3               interpolation cells along each axis
flex_nodeadr           int      nflex                 first node
flex_nodenum           int      nflex                 nodes
flex_vertadr           int      nflex                 first vertex
flex_vertnum           int      nflex                 vertices
flex_edgeadr           int      nflex                 first edge
flex_edgenum           int      nflex                 edges
flex_elemadr           int      nflex                 first element
flex_elemnum           int      nflex                 elements
flex_elemdataadr       int      nflex                 first of its values in flex_elem
flex_stiffnessadr      int      nflex                 first of its values in flex_stiffness; -1: none
flex_elemedgeadr       int      nflex                 first of its values in flex_elemedge
flex_bendingadr        int      nflex                 first of its values in flex_bending; -1: none
flex_shellnum          int      nflex                 pieces of its shell
flex_shelldataadr      int      nflex                 first of its values in flex_shell
flex_evpairadr         int      nflex                 first element-vertex candidate
flex_evpairnum         int      nflex                 element-vertex candidates
flex_texcoordadr       int      nflex                 first texture coordinate; -1: none
flex_nodebodyid        int      nflexnode             body of each node
flex_vertbodyid        int      nflexvert             body of each vertex
flex_vertedgeadr       int      nflexvert             first edge at each vertex
flex_vertedgenum       int      nflexvert             edges at each vertex
flex_vertedge          int      nflexedge*2           edges listed vertex by vertex
flex_edge              int      nflexedge*2           the two vertices of each edge
flex_edgeflap          int      nflexedge*2           vertices opposite to the edge; -1: boundary
flex_elem              int      nflexelemdata         vertices of each element (dim+1)
flex_elemtexcoord      int      nflexelemdata         texture coordinates of each element (dim+1)
flex_elemedge          int      nflexelemedge         edges of each element
flex_elemlayer         int      nflexelem             layers between the element and the surface
flex_shell             int      nflexshelldata        vertices of each shell piece (dim)
flex_evpair            int      nflexevpair*2         element and vertex that may collide
flex_vert              real     nflexvert*3           vertex in its body's frame (m)
flex_vert0             real     nflexvert*3           vertex at qpos0 in the unit box
flex_vertmetric        real     nflexvert*4           inverse of the 2x2 rest shape at a vertex
flex_node              real     nflexnode*3           node in its body's frame (m)
flex_node0             real     nflexnode*3           node in the world at qpos0 (m)
flexedge_length0       real     nflexedge             length at qpos0 (m)
flexedge_invweight0    real     nflexedge             inverse inertia along the edge at qpos0 (1/kg)
flex_radius            real     nflex                 thickness around its elements (m)
flex_size              real     nflex*3               half sizes of its box at qpos0 (m)
flex_stiffness         real     nflexstiffness        element stiffness matrices (N/m)
flex_bending           real     nflexbending          bending energy coefficients per edge
flex_damping           real     nflex                 damping per stiffness, after Rayleigh (s)
flex_edgestiffness     real     nflex                 spring constant of edges (N/m)
flex_edgedamping       real     nflex                 viscous damping of edges (N s/m)
flex_edgeequality      int      nflex                 constrained: 0 none, 1 edges, 2 vertices, 3 strain
flex_rigid             byte     nflex                 1: all vertices in one body
flexedge_rigid         byte     nflexedge             1: both vertices in one body
flex_centered          byte     nflex                 1: every vertex at its body's origin
flex_flatskin          byte     nflex                 1: drawn without smoothing
flex_bvhadr            int      nflex                 root of its bounding volume tree; -1: none
flex_bvhnum            int      nflex                 nodes of its bounding volume tree
flexedge_J_rownnz      int      nflexedge             entries in each row of flexedge_J
flexedge_J_rowadr      int      nflexedge             first entry of each row of flexedge_J
flexedge_J_colind      int      nJfe                  dof of each entry of flexedge_J
flexvert_J_rownnz      int      nflexvert*2           entries in each row of flexvert_J
flexvert_J_rowadr      int      nflexvert*2           first entry of each row of flexvert_J
flexvert_J_colind      int      nJfv*2                dof of each entry of flexvert_J
flex_rgba              float    nflex*4               colour and opacity, where no material is set
flex_texcoord          float    nflextexcoord*2       texture coordinates of vertices
mesh_vertadr           int      nmesh                 first vertex
mesh_vertnum           int      nmesh                 vertices
mesh_faceadr           int      nmesh                 first triangle
mesh_facenum           int      nmesh                 triangles
mesh_bvhadr            int      nmesh                 root of its bounding volume tree
mesh_bvhnum            int      nmesh                 nodes of its bounding volume tree
mesh_octadr            int      nmesh                 root of its octree; -1: none
mesh_octnum            int      nmesh                 cells of its octree
mesh_normaladr         int      nmesh                 first normal
mesh_normalnum         int      nmesh                 normals
mesh_texcoordadr       int      nmesh                 first texture coordinate; -1: none
mesh_texcoordnum       int      nmesh                 texture coordinates
mesh_graphadr          int      nmesh                 first int of its hull graph; -1: none
mesh_vert              float    nmeshvert*3           vertices in the inertial frame (m)
mesh_normal            float    nmeshnormal*3         unit normals in the inertial frame
mesh_texcoord          float    nmeshtexcoord*2       texture coordinates
mesh_face              int      nmeshface*3           the three vertices of each triangle
mesh_facenormal        int      nmeshface*3           the three normals of each triangle
mesh_facetexcoord      int      nmeshface*3           the three texture coordinates of each triangle
mesh_graph             int      nmeshgraph            convex hull: its vertices, neighbours, triangles
mesh_scale             real     nmesh*3               scale that was applied to the file's vertices
mesh_pos               real     nmesh*3               shift that was applied to the vertices (m)
mesh_quat              real     nmesh*4               rotation that was applied to the vertices
mesh_pathadr           int      nmesh                 start of the file's path in paths; -1: none
mesh_polynum           int      nmesh                 polygons
mesh_polyadr           int      nmesh                 first polygon
mesh_polynormal        real     nmeshpoly*3           unit normal of each polygon
mesh_polyvertadr       int      nmeshpoly             first of the polygon's values in mesh_polyvert
mesh_polyvertnum       int      nmeshpoly             vertices of each polygon
mesh_polyvert          int      nmeshpolyvert         vertices, polygon by polygon
mesh_polymapadr        int      nmeshvert             first of the vertex's values in mesh_polymap
mesh_polymapnum        int      nmeshvert             polygons at each vertex
mesh_polymap           int      nmeshpolymap          polygons, vertex by vertex
skin_matid             int      nskin                 material; -1: none
skin_group             int      nskin                 visibility group
skin_rgba              float    nskin*4               colour and opacity
skin_inflate           float    nskin                 shift of the vertices along their normals (m)
skin_vertadr           int      nskin                 first vertex
skin_vertnum           int      nskin                 vertices
skin_texcoordadr       int      nskin                 first texture coordinate; -1: none
skin_faceadr           int      nskin                 first triangle
skin_facenum           int      nskin                 triangles
skin_boneadr           int      nskin                 first bone
skin_bonenum           int      nskin                 bones
skin_vert              float    nskinvert*3           vertices in the bind pose (m)
skin_texcoord          float    nskintexvert*2        texture coordinates
skin_face              int      nskinface*3           the three vertices of each triangle
skin_bonevertadr       int      nskinbone             first vertex-weight pair of each bone
skin_bonevertnum       int      nskinbone             vertex-weight pairs of each bone
skin_bonebindpos       float    nskinbone*3           position of each bone in the bind pose (m)
skin_bonebindquat      float    nskinbone*4           orientation of each bone in the bind pose
skin_bonebodyid        int      nskinbone             body that moves each bone
skin_bonevertid        int      nskinbonevert         vertex of each pair
skin_bonevertweight    float    nskinbonevert         weight of each pair
skin_pathadr           int      nskin                 start of the file's path in paths; -1: none
hfield_size            real     nhfield*4             half size x, y; top height; depth of the base (m)
hfield_nrow            int      nhfield               rows, along y
hfield_ncol            int      nhfield               columns, along x
hfield_adr             int      nhfield               first sample
hfield_data            float    nhfielddata           heights as shares of the top height, 0 to 1
hfield_pathadr         int      nhfield               start of the file's path in paths; -1: none
tex_type               int      ntex                  mjtTexture: 2d, cube, skybox
tex_colorspace         int      ntex                  mjtColorSpace: automatic, linear, sRGB
tex_height             int      ntex                  rows (pixels)
tex_width              int      ntex                  columns (pixels)
tex_nchannel           int      ntex                  bytes per pixel
tex_adr                long     ntex                  first byte
tex_data               byte     ntexdata              pixels, 0 to 255
tex_pathadr            int      ntex                  start of the file's path in paths; -1: none
mat_texid              int      nmat*10               texture of each role (mjtTextureRole); -1: none
mat_texuniform         byte     nmat                  1: cube textures keep their scale
mat_texrepeat          float    nmat*2                repetitions of a 2d texture along x, y
mat_emission           float    nmat                  own light, times the colour
mat_specular           float    nmat                  strength of the highlight
mat_shininess          float    nmat                  sharpness of the highlight, 0 to 1
mat_reflectance        float    nmat                  share of light that is mirrored
mat_metallic           float    nmat                  0: dielectric, 1: metal
mat_roughness          float    nmat                  0: mirror, 1: matt
mat_rgba               float    nmat*4                colour and opacity
pair_dim               int      npair                 directions of contact forces: 1, 3, 4 or 6
pair_geom1             int      npair                 first geom
pair_geom2             int      npair                 second geom
pair_signature         int      npair                 both bodies in one int, the first in the high half
pair_solref            real     npair*2               normal force: time constant (s), damping ratio
pair_solreffriction    real     npair*2               the same for friction; zeros: as the normal
pair_solimp            real     npair*5               impedance curve
pair_margin            real     npair                 distance where contacts start to exist (m)
pair_gap               real     npair                 part of the margin without force (m)
pair_friction          real     npair*5               sliding x, y (1); torsional, rolling x, y (m)
exclude_signature      int      nexclude              both bodies in one int, the first in the high half
eq_type                int      neq                   mjtEq: connect, weld, joint, tendon, flex, ...
eq_obj1id              int      neq                   first object
eq_obj2id              int      neq                   second object; -1: none
eq_objtype             int      neq                   mjtObj of both objects
eq_active0             byte     neq                   1: on after a reset
eq_solref              real     neq*2                 time constant (s) and damping ratio
eq_solimp              real     neq*5                 impedance curve
eq_data                real     neq*11                anchors (m), relative pose, polynomial, ...
tendon_adr             int      ntendon               first object of the path
tendon_num             int      ntendon               objects of the path
tendon_matid           int      ntendon               material; -1: none
tendon_actuatorid      int      ntendon               actuator that adds damping, armature; -1: none
tendon_group           int      ntendon               visibility group
tendon_treenum         int      ntendon               kinematic trees that the path touches
tendon_treeid          int      ntendon*2             the first two of these trees; -1: none
ten_J_rownnz           int      ntendon               entries in each row of ten_J
ten_J_rowadr           int      ntendon               first entry of each row of ten_J
ten_J_colind           int      nJten                 dof of each entry of ten_J
tendon_limited         byte     ntendon               1: tendon_range is enforced
tendon_actfrclimited   byte     ntendon               1: tendon_actfrcrange is enforced
tendon_width           real     ntendon               radius that is drawn (m)
tendon_solref_lim      real     ntendon*2             limit: time constant (s) and damping ratio
tendon_solimp_lim      real     ntendon*5             limit: impedance curve
tendon_solref_fri      real     ntendon*2             friction loss: time constant (s), damping ratio
tendon_solimp_fri      real     ntendon*5             friction loss: impedance curve
tendon_range           real     ntendon*2             shortest and longest length (m)
tendon_actfrcrange     real     ntendon*2             bounds on the summed actuator force (N)
tendon_margin          real     ntendon               distance where the limit starts to act (m)
tendon_stiffness       real     ntendon               spring constant (N/m)
tendon_stiffnesspoly   real     ntendon*2             spring terms of second and third order
tendon_damping         real     ntendon               viscous damping (N s/m)
tendon_dampingpoly     real     ntendon*2             damping terms of second and third order
tendon_armature        real     ntendon               inertia against change of length (kg)
tendon_frictionloss    real     ntendon               dry friction (N)
tendon_lengthspring    real     ntendon*2             lengths between which the spring rests (m)
tendon_length0         real     ntendon               length at qpos0 (m)
tendon_invweight0      real     ntendon               inverse inertia at qpos0 (1/kg)
tendon_user            real     ntendon*nuser_tendon  values for the user
tendon_rgba            float    ntendon*4             colour and opacity, where no material is set
wrap_type              int      nwrap                 mjtWrap: joint, pulley, site, sphere, cylinder
wrap_objid             int      nwrap                 joint, site or geom; -1: pulley
wrap_prm               real     nwrap                 coefficient, divisor or side site
actuator_trntype       int      nu                    mjtTrn: what the force acts through
actuator_dyntype       int      nu                    mjtDyn: how ctrl drives act
actuator_gaintype      int      nu                    mjtGain: how the gain is computed
actuator_biastype      int      nu                    mjtBias: how the bias is computed
actuator_trnid         int      nu*2                  joint, tendon, site or body; -1: none
actuator_damping       real     nu                    viscous damping of the target (N s/m, N m s/rad)
actuator_dampingpoly   real     nu*2                  damping terms of second and third order
actuator_armature      real     nu                    rotor inertia added to the target (kg, kg m^2)
actuator_actadr        int      nu                    first of its values in act; -1: none
actuator_actnum        int      nu                    activation variables
actuator_group         int      nu                    group, for visibility and disabling
actuator_history       int      nu*2                  samples in the delay buffer, interpolation order
actuator_historyadr    int      nu                    first of its values in history; -1: none
actuator_delay         real     nu                    delay of the control (s)
actuator_ctrllimited   byte     nu                    1: actuator_ctrlrange is enforced
actuator_forcelimited  byte     nu                    1: actuator_forcerange is enforced
actuator_actlimited    byte     nu                    1: actuator_actrange is enforced
actuator_dynprm        real     nu*10                 dynamics: time constants (s), ...
actuator_gainprm       real     nu*10                 gain: constant, per length, per velocity, ...
actuator_biasprm       real     nu*10                 bias: constant, per length, per velocity, ...
actuator_actearly      byte     nu                    1: the force sees the next activation
actuator_ctrlrange     real     nu*2                  bounds of the control
actuator_forcerange    real     nu*2                  bounds of the force (N, N m)
actuator_actrange      real     nu*2                  bounds of the activation
actuator_gear          real     nu*6                  lever arm from force to target (1 or m)
actuator_cranklength   real     nu                    rod of a slider-crank (m)
actuator_acc0          real     nu                    acceleration by a unit force at qpos0
actuator_length0       real     nu                    length at qpos0 (m, rad)
actuator_lengthrange   real     nu*2                  shortest and longest length in reach (m, rad)
actuator_user          real     nu*nuser_actuator     values for the user
actuator_plugin        int      nu                    plugin instance; -1: none
sensor_type            int      nsensor               mjtSensor: what is measured
sensor_datatype        int      nsensor               mjtDataType: real, positive, axis, quaternion
sensor_needstage       int      nsensor               mjtStage after which it can be read
sensor_objtype         int      nsensor               mjtObj of what it is attached to
sensor_objid           int      nsensor               what it is attached to
sensor_reftype         int      nsensor               mjtObj of the frame of reference
sensor_refid           int      nsensor               frame of reference; -1: the world
sensor_intprm          int      nsensor*3             whole-number settings
sensor_dim             int      nsensor               values that it delivers
sensor_adr             int      nsensor               first of its values in sensordata
sensor_cutoff          real     nsensor               largest absolute value; 0: no bound
sensor_noise           real     nsensor               standard deviation, for the user to apply
sensor_history         int      nsensor*2             samples in the delay buffer, interpolation order
sensor_historyadr      int      nsensor               first of its values in history; -1: none
sensor_delay           real     nsensor               delay of the reading (s)
sensor_interval        real     nsensor*2             period and phase of the readings (s)
sensor_user            real     nsensor*nuser_sensor  values for the user
sensor_plugin          int      nsensor               plugin instance; -1: none
plugin                 int      nplugin               slot among the registered plugins
plugin_stateadr        int      nplugin               first of its values in plugin_state
plugin_statenum        int      nplugin               values in plugin_state
plugin_attr            char     npluginattr           settings of all instances, ended by zeros
plugin_attradr         int      nplugin               first byte of its settings
numeric_adr            int      nnumeric              first value
numeric_size           int      nnumeric              values
numeric_data           real     nnumericdata          values of all custom number fields
text_adr               int      ntext                 first byte
text_size              int      ntext                 bytes, with the zero at the end
text_data              char     ntextdata             bytes of all custom text fields
tuple_adr              int      ntuple                first member
tuple_size             int      ntuple                members
tuple_objtype          int      ntupledata            mjtObj of each member
tuple_objid            int      ntupledata            id of each member
tuple_objprm           real     ntupledata            number that goes with each member
key_time               real     nkey                  time (s)
key_qpos               real     nkey*nq               configuration (m, rad, quaternions)
key_qvel               real     nkey*nv               velocity (m/s, rad/s)
key_act                real     nkey*na               activations
key_mpos               real     nkey*nmocap*3         positions of motion capture bodies (m)
key_mquat              real     nkey*nmocap*4         orientations of motion capture bodies
key_ctrl               real     nkey*nu               controls
name_bodyadr           int      nbody                 first byte of each body's name in names
name_jntadr            int      njnt                  first byte of each joint's name in names
name_geomadr           int      ngeom                 first byte of each geom's name in names
name_siteadr           int      nsite                 first byte of each site's name in names
name_camadr            int      ncam                  first byte of each camera's name in names
name_lightadr          int      nlight                first byte of each light's name in names
name_flexadr           int      nflex                 first byte of each flex's name in names
name_meshadr           int      nmesh                 first byte of each mesh's name in names
name_skinadr           int      nskin                 first byte of each skin's name in names
name_hfieldadr         int      nhfield               first byte of each height field's name in names
name_texadr            int      ntex                  first byte of each texture's name in names
name_matadr            int      nmat                  first byte of each material's name in names
name_pairadr           int      npair                 first byte of each pair's name in names
name_excludeadr        int      nexclude              first byte of each exclusion's name in names
name_eqadr             int      neq                   first byte of each equality's name in names
name_tendonadr         int      ntendon               first byte of each tendon's name in names
name_actuatoradr       int      nu                    first byte of each actuator's name in names
name_sensoradr         int      nsensor               first byte of each sensor's name in names
name_numericadr        int      nnumeric              first byte of each number field's name in names
name_textadr           int      ntext                 first byte of each text field's name in names
name_tupleadr          int      ntuple                first byte of each tuple's name in names
name_keyadr            int      nkey                  first byte of each keyframe's name in names
name_pluginadr         int      nplugin               first byte of each plugin instance's name in names
names                  char     nnames                model name, then all names, each ended by a zero
names_map              int      nnames_map            hash table from names to ids; -1: empty slot
paths                  char     npaths                paths of asset files, each ended by a zero
B_rownnz               int      nbody                 dofs that move each body
B_rowadr               int      nbody                 first entry of each body's row
B_colind               int      nB                    dof of each entry
M_rownnz               int      nv                    entries in each row of M
M_rowadr               int      nv                    first entry of each row of M
M_colind               int      nC                    column of each entry of M
mapM2M                 int      nC                    entry of qM behind each entry of M
D_rownnz               int      nv                    entries in each row of the two-sided pattern
D_rowadr               int      nv                    first entry of each row of the two-sided pattern
D_diag                 int      nv                    place of the diagonal within each row
D_colind               int      nD                    column of each entry of the two-sided pattern
mapM2D                 int      nD                    entry of M behind each two-sided entry
mapD2M                 int      nC                    two-sided entry behind each entry of M
signature              long     -                     number that names this compilation
""")

# mjOption
OPTION = table("""
timestep           real  -  length of a step (s)
impratio           real  -  impedance of friction relative to that of the normal
tolerance          real  -  the solver stops below this improvement or gradient, scaled
ls_tolerance       real  -  the line search stops below this slope, relative to the gradient
noslip_tolerance   real  -  the noslip solver stops below this improvement, scaled
ccd_tolerance      real  -  accuracy of convex collision (m)
sleep_tolerance    real  -  largest velocity of a tree that falls asleep (m/s)
gravity            real  3  acceleration of free fall (m/s^2)
wind               real  3  velocity of the surrounding fluid (m/s)
magnetic           real  3  flux density of the world's magnetic field (T)
density            real  -  density of the surrounding fluid (kg/m^3)
viscosity          real  -  viscosity of the surrounding fluid (Pa s)
o_margin           real  -  margin of every contact, when overridden (m)
o_solref           real  2  solref of every contact, when overridden
o_solimp           real  5  solimp of every contact, when overridden
o_friction         real  5  friction of every contact, when overridden
integrator         int   -  mjtIntegrator: Euler, RK4, implicit, implicitfast
cone               int   -  mjtCone: pyramidal or elliptic friction
jacobian           int   -  mjtJacobian: dense, sparse or automatic
solver             int   -  mjtSolver: PGS, CG, Newton
iterations         int   -  most iterations of the solver
ls_iterations      int   -  most iterations of one line search
noslip_iterations  int   -  most iterations of the noslip solver
ccd_iterations     int   -  most iterations of convex collision
disableflags       int   -  standard features that are off (bits of mjtDisableBit)
enableflags        int   -  optional features that are on (bits of mjtEnableBit)
disableactuator    int   -  actuator groups that are off (bits)
sdf_initpoints     int   -  points from which a signed-distance search starts
sdf_iterations     int   -  most descent steps of a signed-distance search
""")

# mjStatistic
STATISTIC = table("""
meaninertia  real  -  mean of the diagonal of M at qpos0 (kg, kg m^2)
meanmass     real  -  mean mass of bodies (kg)
meansize     real  -  typical size of a body (m)
extent       real  -  size of the whole model (m)
center       real  3  middle of the model in the world (m)
""")

# mjVisual, group.name
VISUAL = table("""
global.cameraid          int    -  camera at the start; -1: the free one
global.orthographic      int    -  1: the free camera has no perspective
global.fovy              float  -  vertical view of the free camera (deg; m if orthographic)
global.ipd               float  -  distance between the free camera's eyes (m)
global.azimuth           float  -  first heading of the free camera (deg)
global.elevation         float  -  first pitch of the free camera (deg)
global.linewidth         float  -  width of lines (pixels)
global.glow              float  -  brightness added to the selected body
global.realtime          float  -  first speed of playback; 1: real time
global.offwidth          int    -  widest image that is rendered off screen (pixels)
global.offheight         int    -  highest image that is rendered off screen (pixels)
global.ellipsoidinertia  int    -  inertia is drawn as 0: a box, 1: an ellipsoid
global.bvactive          int    -  1: bounding volumes show whether they were tested
quality.shadowsize       int    -  side of the shadow map (pixels)
quality.offsamples       int    -  samples per pixel off screen
quality.numslices        int    -  divisions of round shapes around their axis
quality.numstacks        int    -  divisions of round shapes along their axis
quality.numquads         int    -  divisions of a box's faces along each side
headlight.ambient        float  3  ambient colour
headlight.diffuse        float  3  diffuse colour
headlight.specular       float  3  specular colour
headlight.active         int    -  1: on
map.stiffness            float  -  force of a mouse pull per distance (1/s^2, times mass)
map.stiffnessrot         float  -  torque of a mouse turn per angle (1/s^2, times inertia)
map.force                float  -  length of an arrow per force (m/N)
map.torque               float  -  length of an arrow per torque (m/(N m))
map.alpha                float  -  opacity of geoms in transparent mode
map.fogstart             float  -  distance where fog begins, in extents
map.fogend               float  -  distance where fog is full, in extents
map.znear                float  -  nearest distance that is drawn, in extents
map.zfar                 float  -  farthest distance that is drawn, in extents
map.haze                 float  -  share of the way to the horizon that fades into haze
map.shadowclip           float  -  half width of a directional light's shadows, in extents
map.shadowscale          float  -  share of a spot light's cone that has shadows
map.actuatortendon       float  -  width of a driven tendon relative to a free one
scale.forcewidth         float  -  width of force arrows, in mean sizes
scale.contactwidth       float  -  radius of contact discs, in mean sizes
scale.contactheight      float  -  thickness of contact discs, in mean sizes
scale.connect            float  -  radius of lines between bodies, in mean sizes
scale.com                float  -  radius of mass centres, in mean sizes
scale.camera             float  -  size of cameras, in mean sizes
scale.light              float  -  size of lights, in mean sizes
scale.selectpoint        float  -  radius of the picked point, in mean sizes
scale.jointlength        float  -  length of joint axes, in mean sizes
scale.jointwidth         float  -  width of joint axes, in mean sizes
scale.actuatorlength     float  -  length of actuators, in mean sizes
scale.actuatorwidth      float  -  width of actuators, in mean sizes
scale.framelength        float  -  length of frame axes, in mean sizes
scale.framewidth         float  -  width of frame axes, in mean sizes
scale.constraint         float  -  width of constraint lines, in mean sizes
scale.slidercrank        float  -  width of slider-cranks, in mean sizes
scale.frustum            float  -  distance of the far end of a drawn view cone, in mean sizes
rgba.fog                 float  4  fog
rgba.haze                float  4  haze at the horizon
rgba.force               float  4  forces from outside
rgba.inertia             float  4  inertia shapes
rgba.joint               float  4  joints
rgba.actuator            float  4  actuators at rest
rgba.actuatornegative    float  4  actuators at their lower bound
rgba.actuatorpositive    float  4  actuators at their upper bound
rgba.com                 float  4  mass centres
rgba.camera              float  4  cameras
rgba.light               float  4  lights
rgba.selectpoint         float  4  the picked point
rgba.connect             float  4  lines between bodies
rgba.contactpoint        float  4  contacts
rgba.contactforce        float  4  contact forces
rgba.contactfriction     float  4  friction parts of contact forces
rgba.contacttorque       float  4  contact torques
rgba.contactgap          float  4  contacts without force, in the gap
rgba.rangefinder         float  4  rangefinder rays
rgba.constraint          float  4  violated equality constraints
rgba.slidercrank         float  4  slider-cranks
rgba.crankbroken         float  4  slider-cranks whose rod is too short
rgba.frustum             float  4  view cones of cameras
rgba.bv                  float  4  bounding volumes
rgba.bvactive            float  4  bounding volumes that were tested
""")

# mjData
DATA = table("""
narena              size           -              bytes of MuJoCo's arena; 0: there is none
nbuffer             size           -              bytes of the arrays of a world
nplugin             int            -              plugin instances
pstack              size           -              top of MuJoCo's stack; 0: there is none
pbase               size           -              its top at the last mark; 0
parena              size           -              end of what MuJoCo's arena holds; 0
maxuse_stack        size           -              most stack that was used (bytes); 0
maxuse_threadstack  size           128            most stack that each thread used (bytes); 0
maxuse_arena        size           -              most arena that was used (bytes); 0
maxuse_con          int            -              most contacts of a step so far
maxuse_efc          int            -              most constraint rows of a step so far
solver              mjSolverStat   4000           progress of the solver, per island and iteration
solver_niter        int            20             iterations, per island
solver_nnz          int            20             entries of the matrix that was factored, per island
solver_fwdinv       real           2              forward minus inverse dynamics: forces, constraints (N)
warning             mjWarningStat  7              what went wrong so far (mjtWarning)
timer               mjTimerStat    15             time spent per stage (mjtTimer)
ncon                int            -              contacts
ne                  int            -              rows of equality constraints
nf                  int            -              rows of friction loss
nl                  int            -              rows of limits
nefc                int            -              rows of all constraints, contacts included
nJ                  int            -              entries of efc_J
nA                  int            -              entries of efc_AR
nisland             int            -              islands: groups that constraints tie together
nidof               int            -              dofs that lie in islands
ntree_awake         int            -              trees that are awake
nbody_awake         int            -              bodies that are awake or static
nparent_awake       int            -              bodies whose parent is awake or static
nv_awake            int            -              dofs that are awake
flg_energypos       byte           -              1: potential energy is up to date
flg_energyvel       byte           -              1: kinetic energy is up to date
flg_subtreevel      byte           -              1: subtree velocities are up to date
flg_rnepost         byte           -              1: cacc, cfrc_int, cfrc_ext are up to date
time                real           -              simulated time (s)
energy              real           2              potential, kinetic (J)
buffer              pointer        -              memory block; internal to MuJoCo
arena               pointer        -              memory block; internal to MuJoCo
qpos                real           nq             configuration (m, rad, quaternions)
qvel                real           nv             velocity (m/s, rad/s)
act                 real           na             activations of actuators
history             real           nhistory       past controls and readings, for delays
qacc_warmstart      real           nv             acceleration that the solver starts from
plugin_state        real           npluginstate   state of plugins
ctrl                real           nu             control signal of each actuator
qfrc_applied        real           nv             force that the user adds (N, N m)
xfrc_applied        real           nbody*6        force, torque at the mass centre, world axes (N, N m)
eq_active           byte           neq            1: the equality constraint is on
mocap_pos           real           nmocap*3       position of each motion capture body (m)
mocap_quat          real           nmocap*4       orientation of each motion capture body
qacc                real           nv             acceleration (m/s^2, rad/s^2)
act_dot             real           na             rate of act (1/s)
userdata            real           nuserdata      values for the user
sensordata          real           nsensordata    readings of all sensors
tree_asleep         int            ntree          < 0: awake; else the next tree of its sleeping group
plugin              int            nplugin        slot of each plugin instance
plugin_data         long           nplugin        memory of each plugin instance
xpos                real           nbody*3        origin of the body frame in the world (m)
xquat               real           nbody*4        orientation of the body frame in the world
xmat                real           nbody*9        the same as a rotation matrix
xipos               real           nbody*3        centre of mass in the world (m)
ximat               real           nbody*9        principal axes of inertia in the world
xanchor             real           njnt*3         anchor of each joint in the world (m)
xaxis               real           njnt*3         axis of each joint in the world
geom_xpos           real           ngeom*3        centre in the world (m)
geom_xmat           real           ngeom*9        orientation in the world
site_xpos           real           nsite*3        position in the world (m)
site_xmat           real           nsite*9        orientation in the world
cam_xpos            real           ncam*3         position in the world (m)
cam_xmat            real           ncam*9         orientation in the world; looks along -z
light_xpos          real           nlight*3       position in the world (m)
light_xdir          real           nlight*3       direction in the world
subtree_com         real           nbody*3        centre of mass of the body and all below it (m)
cdof                real           nv*6           motion by a unit dof velocity: rotation, translation
cinert              real           nbody*10       inertia about the tree's centre: 6 moments, m*offset, m
flexvert_xpos       real           nflexvert*3    vertex in the world (m)
flexelem_aabb       real           nflexelem*6    box of each element: centre, half sizes (m)
flexedge_J          real           nJfe           derivative of the edge length
flexedge_length     real           nflexedge      length of each edge (m)
flexvert_J          real           nJfv*2         derivative of the vertex strain
flexvert_length     real           nflexvert*2    strain of each vertex, two invariants
bvh_aabb_dyn        real           nbvhdynamic*6  moving boxes in the world: centre, half sizes (m)
ten_wrapadr         int            ntendon        first path point of each tendon
ten_wrapnum         int            ntendon        path points of each tendon
ten_J               real           nJten          derivative of the tendon length
ten_length          real           ntendon        length of each tendon (m)
wrap_obj            int            nwrap*2        geom behind a path point; -1: site, -2: pulley
wrap_xpos           real           nwrap*6        path points in the world (m)
actuator_length     real           nu             length of each actuator (m, rad)
moment_rownnz       int            nu             entries in each row of actuator_moment
moment_rowadr       int            nu             first entry of each row of actuator_moment
moment_colind       int            nJmom          dof of each entry of actuator_moment
actuator_moment     real           nJmom          derivative of the actuator length
crb                 real           nbody*10       cinert summed over the body and all below it
qM                  real           nM             inertia matrix, a list of ancestors per dof
M                   real           nC             inertia matrix, lower triangle by rows
qLD                 real           nC             factors L and D with M = L' D L
qLDiagInv           real           nv             1 / D
bvh_active          byte           nbvh           1: the bounding volume was tested
tree_awake          int            ntree          1: awake
body_awake          int            nbody          mjtSleepState: asleep, awake or static
body_awake_ind      int            nbody          bodies that are awake or static
parent_awake_ind    int            nbody          bodies whose parent is awake or static
dof_awake_ind       int            nv             dofs that are awake
flexedge_velocity   real           nflexedge      rate of the edge length (m/s)
ten_velocity        real           ntendon        rate of the tendon length (m/s)
actuator_velocity   real           nu             rate of the actuator length (m/s, rad/s)
cvel                real           nbody*6        velocity at the tree's centre: rad/s, m/s
cdof_dot            real           nv*6           rate of cdof
qfrc_bias           real           nv             Coriolis, centrifugal, gravity forces (N, N m)
qfrc_spring         real           nv             force of springs (N, N m)
qfrc_damper         real           nv             force of dampers (N, N m)
qfrc_gravcomp       real           nv             force that compensates gravity (N, N m)
qfrc_fluid          real           nv             force of the surrounding fluid (N, N m)
qfrc_passive        real           nv             sum of these passive forces (N, N m)
subtree_linvel      real           nbody*3        velocity of the subtree's centre of mass (m/s)
subtree_angmom      real           nbody*3        angular momentum about that centre (kg m^2/s)
qH                  real           nC             factors of M with implicit damping, as qLD
qHDiagInv           real           nv             1 / D of these factors
qDeriv              real           nD             derivative of smooth forces by qvel (N s/m, N m s)
qLU                 real           nD             LU factors of M - timestep * qDeriv
actuator_force      real           nu             force of each actuator (N, N m)
qfrc_actuator       real           nv             force of all actuators (N, N m)
qfrc_smooth         real           nv             sum of all forces but constraints (N, N m)
qacc_smooth         real           nv             acceleration without constraints (m/s^2, rad/s^2)
qfrc_constraint     real           nv             force of all constraints (N, N m)
qfrc_inverse        real           nv             force that explains qacc (N, N m)
cacc                real           nbody*6        acceleration at the tree's centre: rad/s^2, m/s^2
cfrc_int            real           nbody*6        force from the parent: torque, force (N m, N)
cfrc_ext            real           nbody*6        force from outside: torque, force (N m, N)
contact             mjContact      ncon           all contacts
efc_type            int            nefc           mjtConstraint: what made the row
efc_id              int            nefc           equality, dof, joint, tendon or contact of the row
efc_J_rownnz        int            nefc           entries in each row of efc_J
efc_J_rowadr        int            nefc           first entry of each row of efc_J
efc_J_rowsuper      int            nefc           rows after this one with the same columns
efc_J_colind        int            nJ             dof of each entry of efc_J
efc_J               real           nJ             derivative of the row's position
efc_pos             real           nefc           violation or distance (m, rad)
efc_margin          real           nefc           distance where the row starts to act (m, rad)
efc_frictionloss    real           nefc           bound of the friction force (N, N m)
efc_diagApprox      real           nefc           estimate of the diagonal of J M^-1 J'
efc_KBIP            real           nefc*4         stiffness, damping, impedance, its slope
efc_D               real           nefc           1 / R
efc_R               real           nefc           regularizer of the row (1/kg, 1/(kg m^2))
tendon_efcadr       int            ntendon        first row of each tendon; -1: none
tree_island         int            ntree          island of each tree; -1: none
island_ntree        int            nisland        trees of each island
island_itreeadr     int            nisland        first tree of each island, in island order
map_itree2tree      int            ntree          tree at each place in island order
dof_island          int            nv             island of each dof; -1: none
island_nv           int            nisland        dofs of each island
island_idofadr      int            nisland        first dof of each island, in island order
island_dofadr       int            nisland        smallest dof of each island
map_dof2idof        int            nv             place of each dof in island order
map_idof2dof        int            nv             dof at each place in island order
ifrc_smooth         real           nidof          qfrc_smooth in island order
iacc_smooth         real           nidof          qacc_smooth in island order
iM_rownnz           int            nidof          entries in each row of iM
iM_rowadr           int            nidof          first entry of each row of iM
iM_colind           int            nC             column of each entry of iM
iM                  real           nC             M in island order
iLD                 real           nC             qLD in island order
iLDiagInv           real           nidof          qLDiagInv in island order
iacc                real           nidof          qacc in island order
efc_island          int            nefc           island of each row
island_ne           int            nisland        equality rows of each island
island_nf           int            nisland        friction loss rows of each island
island_nefc         int            nisland        rows of each island
island_iefcadr      int            nisland        first row of each island, in island order
map_efc2iefc        int            nefc           place of each row in island order
map_iefc2efc        int            nefc           row at each place in island order
iefc_type           int            nefc           efc_type in island order
iefc_id             int            nefc           efc_id in island order
iefc_J_rownnz       int            nefc           efc_J_rownnz in island order
iefc_J_rowadr       int            nefc           first entry of each row of iefc_J
iefc_J_rowsuper     int            nefc           efc_J_rowsuper in island order
iefc_J_colind       int            nJ             efc_J_colind in island order
iefc_J              real           nJ             efc_J in island order
iefc_frictionloss   real           nefc           efc_frictionloss in island order
iefc_D              real           nefc           efc_D in island order
iefc_R              real           nefc           efc_R in island order
efc_AR_rownnz       int            nefc           entries in each row of efc_AR
efc_AR_rowadr       int            nefc           first entry of each row of efc_AR
efc_AR_colind       int            nA             column of each entry of efc_AR
efc_AR              real           nA             J M^-1 J' + R
efc_vel             real           nefc           J qvel (m/s, rad/s)
efc_aref            real           nefc           acceleration that the row asks for
efc_b               real           nefc           J qacc_smooth - aref
iefc_aref           real           nefc           efc_aref in island order
iefc_state          int            nefc           efc_state in island order
iefc_force          real           nefc           efc_force in island order
efc_state           int            nefc           mjtConstraintState: satisfied, quadratic, ...
efc_force           real           nefc           force of the row (N, N m)
ifrc_constraint     real           nidof          qfrc_constraint in island order
threadpool          long           -              threads; internal to MuJoCo
signature           long           -              number of the compilation of the model
""")

# mjContact
CONTACT = table("""
dist            real  -   distance of the surfaces (m); negative: they overlap
pos             real  3   point half-way between the surfaces, in the world (m)
frame           real  9   axes as rows; the first points from geom[0] to geom[1]
includemargin   real  -   distance below which the contact makes force (m)
friction        real  5   sliding x, y (1); torsional, rolling x, y (m)
solref          real  2   normal force: time constant (s), damping ratio
solreffriction  real  2   the same for friction; zeros: as the normal
solimp          real  5   impedance curve
mu              real  -   friction coefficient of the regularized elliptic cone
H               real  36  second derivative of the elliptic cone's cost
dim             int   -   directions of contact forces: 1, 3, 4 or 6
geom1           int   -   geom[0], its old name
geom2           int   -   geom[1], its old name
geom            int   2   the two geoms; -1: a flex
flex            int   2   the two flexes; -1: a geom
elem            int   2   elements of the flexes; -1: none
vert            int   2   vertices of the flexes; -1: none
exclude         int   -   why it makes no force; 0: it does, 1: in the gap
efc_address     int   -   its first row; -1: none
""")

# mjSolverStat
SOLVER_STAT = table("""
improvement  real  -  decrease of the cost, scaled
gradient     real  -  norm of the gradient, scaled
lineslope    real  -  slope at the end of the line search, scaled
nactive      int   -  constraints that push
nchange      int   -  constraints that changed their state
neval        int   -  cost evaluations of the line search
nupdate      int   -  rank-one updates of the factor
""")

# mjWarningStat
WARNING_STAT = table("""
lastinfo  int  -  index of the object that caused the last one
number    int  -  times that it was raised
""")

# mjTimerStat
TIMER_STAT = table("""
duration  real  -  total time (s)
number    int   -  calls
""")

# vectors of a keyframe: fields of the data
KEYFRAME = {
    "qpos": "qpos", "qvel": "qvel", "act": "act", "ctrl": "ctrl",
    "mpos": "mocap_pos", "mquat": "mocap_quat",
}  # fmt: skip
