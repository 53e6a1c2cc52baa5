"""Effect of an edit of each field of a model after data were made for it.

`live` fields are read in every call. Tables, sizes or the choice of stages depend on `rebuilt`
ones; they are rebuilt before the next call. `fixed` ones define the structure: the next call
refuses an edit by name; so are `readonly` ones, which are too large to compare in every call, so
that their arrays cannot be written. No simulation reads `unused` ones (only pictures, `reset` to a
keyframe, `set_const`); `absent` ones belong to features that data refuse.
"""

KINDS = ("live", "rebuilt", "fixed", "readonly", "unused", "absent")

_TABLE = """
live     qpos0 qpos_spring
live     body_pos body_quat body_ipos body_iquat body_mass body_subtreemass body_inertia
live     body_invweight0 body_gravcomp
rebuilt  body_contype body_conaffinity body_sameframe
fixed    body_parentid body_rootid body_weldid body_mocapid body_jntnum body_jntadr body_dofnum
fixed    body_dofadr body_treeid body_geomnum body_geomadr body_bvhadr body_bvhnum body_simple
live     body_margin
unused   body_user
fixed    body_plugin

live     bvh_aabb
readonly bvh_depth bvh_child bvh_nodeid
absent   oct_depth oct_child oct_aabb oct_coeff

live     jnt_solref jnt_solimp jnt_pos jnt_axis jnt_stiffness jnt_stiffnesspoly jnt_range
live     jnt_actfrcrange jnt_margin jnt_limited
rebuilt  jnt_actfrclimited jnt_actgravcomp jnt_actuatorid
fixed    jnt_type jnt_qposadr jnt_dofadr jnt_bodyid
unused   jnt_group jnt_user

live     dof_solref dof_solimp dof_frictionloss dof_armature dof_damping dof_dampingpoly
live     dof_invweight0 dof_M0 dof_length
fixed    dof_bodyid dof_jntid dof_parentid dof_treeid dof_Madr dof_simplenum

rebuilt  tree_sleep_policy
fixed    tree_bodyadr tree_bodynum tree_dofadr tree_dofnum

live     geom_group geom_solmix geom_solref geom_solimp geom_size geom_aabb geom_rbound geom_pos
live     geom_quat geom_friction geom_margin geom_gap geom_fluid geom_rgba
rebuilt  geom_type geom_contype geom_conaffinity geom_condim geom_priority geom_dataid geom_matid
rebuilt  geom_sameframe
fixed    geom_bodyid
unused   geom_user
absent   geom_plugin

live     site_type site_size site_pos site_quat
rebuilt  site_bodyid site_sameframe
unused   site_matid site_group site_user site_rgba

live     cam_mode cam_projection cam_pos cam_quat cam_poscom0 cam_pos0 cam_mat0 cam_fovy
live     cam_sensorsize cam_intrinsic
rebuilt  cam_bodyid cam_targetbodyid cam_resolution
fixed    cam_output
unused   cam_ipd cam_user

live     light_mode light_pos light_dir light_poscom0 light_pos0 light_dir0
rebuilt  light_bodyid light_targetbodyid
unused   light_type light_texid light_castshadow light_bulbradius light_intensity light_range
unused   light_active light_attenuation light_cutoff light_exponent light_ambient light_diffuse
unused   light_specular

live     flex_vert flex_node0 flexedge_length0 flexedge_invweight0 flex_radius
live     flex_stiffness flex_vertmetric flex_size flex_priority flex_solmix flex_solref
live     flex_solimp flex_friction flex_margin flex_gap flex_activelayers flex_elemlayer
rebuilt  flex_contype flex_conaffinity flex_internal flex_selfcollide flex_vert0 flex_damping
rebuilt  flex_edgestiffness flex_edgedamping flex_bending flex_node flex_passive flex_condim
fixed    flex_dim flex_interp flex_cellnum flex_nodeadr flex_nodenum flex_vertadr flex_vertnum
fixed    flex_edgeadr flex_edgenum flex_elemadr flex_elemnum flex_elemdataadr flex_stiffnessadr
fixed    flex_elemedgeadr flex_bendingadr flex_edgeequality flex_rigid flex_centered
fixed    flex_bvhadr flex_bvhnum flex_evpairadr flex_evpairnum
readonly flex_nodebodyid flex_vertbodyid flex_edge flex_edgeflap flex_elem flex_elemedge
readonly flexedge_rigid flexedge_J_rownnz flexedge_J_rowadr flexedge_J_colind
readonly flexvert_J_rownnz flexvert_J_rowadr flexvert_J_colind flex_vertedgeadr flex_vertedgenum
readonly flex_vertedge flex_evpair
unused   flex_matid flex_group flex_bandwidth flex_shellnum flex_shelldataadr flex_texcoordadr
unused   flex_elemtexcoord flex_shell flex_flatskin flex_rgba flex_texcoord

live     mesh_vert mesh_polynormal
fixed    mesh_vertadr mesh_vertnum mesh_faceadr mesh_facenum mesh_bvhadr mesh_bvhnum mesh_graphadr
fixed    mesh_polynum mesh_polyadr
readonly mesh_face mesh_graph mesh_polyvertadr mesh_polyvertnum mesh_polyvert mesh_polymapadr
readonly mesh_polymapnum mesh_polymap
unused   mesh_octadr mesh_octnum mesh_normaladr mesh_normalnum mesh_texcoordadr mesh_texcoordnum
unused   mesh_normal mesh_texcoord mesh_facenormal mesh_facetexcoord mesh_scale mesh_pos mesh_quat
unused   mesh_pathadr

unused   skin_matid skin_group skin_rgba skin_inflate skin_vertadr skin_vertnum skin_texcoordadr
unused   skin_faceadr skin_facenum skin_boneadr skin_bonenum skin_vert skin_texcoord skin_face
unused   skin_bonevertadr skin_bonevertnum skin_bonebindpos skin_bonebindquat skin_bonebodyid
unused   skin_bonevertid skin_bonevertweight skin_pathadr

live     hfield_size hfield_data
fixed    hfield_nrow hfield_ncol hfield_adr
unused   hfield_pathadr

unused   tex_type tex_colorspace tex_height tex_width tex_nchannel tex_adr tex_data tex_pathadr
live     mat_rgba
unused   mat_texid mat_texuniform mat_texrepeat mat_emission mat_specular mat_shininess
unused   mat_reflectance mat_metallic mat_roughness

live     pair_solref pair_solreffriction pair_solimp pair_margin pair_gap pair_friction
rebuilt  pair_dim pair_geom1 pair_geom2
fixed    pair_signature
rebuilt  exclude_signature

live     eq_active0 eq_solref eq_solimp eq_data
rebuilt  eq_type eq_obj1id eq_obj2id eq_objtype

live     tendon_limited tendon_solref_lim tendon_solimp_lim tendon_solref_fri tendon_solimp_fri
live     tendon_range tendon_actfrcrange tendon_margin tendon_stiffness tendon_stiffnesspoly
live     tendon_damping tendon_dampingpoly tendon_armature tendon_frictionloss tendon_lengthspring
live     tendon_length0 tendon_invweight0
rebuilt  tendon_actfrclimited tendon_actuatorid tendon_treenum tendon_treeid
fixed    tendon_adr tendon_num
readonly ten_J_rownnz ten_J_rowadr ten_J_colind
unused   tendon_matid tendon_group tendon_width tendon_user tendon_rgba
live     wrap_prm
fixed    wrap_type wrap_objid

live     actuator_ctrllimited actuator_forcelimited actuator_actlimited actuator_actearly
live     actuator_group actuator_damping actuator_dampingpoly actuator_armature actuator_delay
live     actuator_dynprm actuator_gainprm actuator_biasprm actuator_ctrlrange actuator_forcerange
live     actuator_actrange actuator_gear actuator_cranklength actuator_acc0 actuator_lengthrange
rebuilt  actuator_trntype actuator_trnid actuator_dyntype actuator_gaintype actuator_biastype
fixed    actuator_actadr actuator_actnum actuator_history actuator_historyadr
unused   actuator_length0 actuator_user
fixed    actuator_plugin

live     sensor_datatype sensor_cutoff sensor_delay sensor_interval
rebuilt  sensor_type sensor_objtype sensor_objid sensor_reftype sensor_refid sensor_intprm
fixed    sensor_needstage sensor_dim sensor_adr sensor_history sensor_historyadr
unused   sensor_noise sensor_user
fixed    sensor_plugin plugin plugin_stateadr plugin_statenum plugin_attradr
unused   plugin_attr

unused   numeric_adr numeric_size numeric_data text_adr text_size text_data
unused   tuple_adr tuple_size tuple_objtype tuple_objid tuple_objprm
unused   key_time key_qpos key_qvel key_act key_mpos key_mquat key_ctrl
unused   name_bodyadr name_jntadr name_geomadr name_siteadr name_camadr name_lightadr name_flexadr
unused   name_meshadr name_skinadr name_hfieldadr name_texadr name_matadr name_pairadr
unused   name_excludeadr name_eqadr name_tendonadr name_actuatoradr name_sensoradr name_numericadr
unused   name_textadr name_tupleadr name_keyadr name_pluginadr names names_map paths

readonly B_rownnz B_rowadr B_colind M_rownnz M_rowadr M_colind mapM2M D_rownnz D_rowadr D_diag
readonly D_colind mapM2D mapD2M
unused   signature
"""

# field -> kind
EDITS = {
    name: kind
    for kind, *names in (line.split() for line in _TABLE.splitlines() if line)
    for name in names
}


def of_kind(*kinds: str) -> tuple[str, ...]:
    """Fields of some kinds, in the order of the table."""
    return tuple(name for name, kind in EDITS.items() if kind in kinds)
