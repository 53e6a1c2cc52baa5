"""Documents that use what specs can say."""
# ruff: noqa: E501 (models in few lines)

DOCUMENTS = {
    "tree": """<mujoco model="tree"><compiler angle="degree" eulerseq="zyx" autolimits="true"/>
<option timestep="0.004" integrator="RK4" cone="elliptic" actuatorgroupdisable="1 3"><flag gravity="disable" energy="enable"/></option>
<size memory="2M" nuserdata="3"/><statistic extent="2" center="1 2 3"/>
<visual><global fovy="30"/><quality shadowsize="1024"/><headlight active="0" ambient=".1 .2 .3"/><map znear=".02"/><scale com="1"/><rgba fog="1 0 0 1"/></visual>
<default><geom rgba="1 0 0 1" density="500"/><joint damping="1"/><default class="soft"><joint damping="3" stiffness="2 1"/><geom size=".3" condim="4"/>
<default class="softer"><geom friction="2"/></default></default></default>
<worldbody><light name="sun" pos="0 0 3" dir="0 1 -1" mode="targetbody" target="a"/><camera name="eye" pos="0 -2 1" xyaxes="1 0 0 0 1 1" resolution="20 10" output="rgb depth"/>
<camera name="lens" pos="0 -2 1" sensorsize=".1 .2" focal=".3 .3" resolution="10 10"/><geom name="floor" type="plane" size="1 1 1"/>
<frame name="outer" pos="1 0 0" euler="0 0 90" childclass="soft"><body name="a" pos="0 1 0" axisangle="0 0 1 30" gravcomp=".5" user="1 2"><joint name="hip" axis="1 1 0" range="-90 90" ref="10" springref="5" user="7"/>
<geom name="limb" fromto="0 0 0 1 1 1" type="capsule" mass="2"/><geom class="softer" type="box" size=".1 .2 .3" pos="1 0 0" zaxis="1 0 1"/>
<frame pos="0 0 1"><site name="tip" type="box" size=".1 .1 .1" user="1 2 3"/><geom name="far" class="main" size=".2"/></frame>
<body name="b" pos="1 0 0"><inertial pos="0 0 .1" mass="2" fullinertia="2 2 3 .1 .1 .1"/><joint name="knee" type="slide" axis="0 1 0" springdamper=".1 1"/><joint name="ball" type="ball" range="0 40"/></body></body></frame>
<body name="free" pos="0 0 3"><freejoint name="f" align="true"/><geom size=".1" pos=".1 0 0"/></body><body name="hand" mocap="true" pos="1 1 1"/></worldbody>
<keyframe><key name="up" time="2" qpos="1 2 1 0 0 0 1 2 3 1 0 0 0"/><key mpos="1 2 3"/></keyframe></mujoco>""",
    "assets": """<mujoco><asset><texture name="grid" type="2d" builtin="checker" width="8" height="8" rgb1=".1 .2 .3" mark="edge" markrgb="1 1 1"/><texture type="skybox" builtin="gradient" width="8" height="8"/>
<material name="plain" texture="grid" texrepeat="2 3" specular=".1"/><material name="layers"><layer role="rgb" texture="grid"/><layer role="normal" texture="grid"/></material>
<mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="2 2 2" refpos=".1 0 0" inertia="exact" face="0 2 1 0 1 3 0 3 2 1 2 3"/><mesh name="ball" builtin="sphere" params="1" material="plain"/><mesh name="sheet" builtin="plate" params="3 4"/>
<hfield name="hill" nrow="2" ncol="3" size="1 1 1 1" elevation="0 1 2 3 4 5"/></asset>
<worldbody><geom type="hfield" hfield="hill" material="layers"/><body><freejoint/><geom name="t" type="mesh" mesh="tetra" pos="1 0 0" euler="0 0 30"/><geom type="mesh" mesh="ball" mass="1"/><geom type="box" mesh="tetra" fitscale="1.1"/></body></worldbody></mujoco>""",
    "references": """<mujoco><default><tendon width=".01"/><general gear="2" ctrlrange="-1 1"/><equality solref=".03 1"/><pair margin=".1"/></default>
<worldbody><site name="o" pos="0 0 1"/><body name="a"><joint name="j" range="-1 1" axis="0 1 0"/><geom name="g" size=".1"/><site name="s" pos=".3 0 0"/><camera name="c"/>
<body name="b" pos=".5 0 0"><joint name="k" axis="0 1 0"/><geom name="h" size=".05"/><geom name="r" type="cylinder" size=".02 .1" euler="90 0 0" pos="0 0 .1"/><site name="t" pos=".2 0 0"/><site name="side" pos="0 0 .4"/></body></body></worldbody>
<contact><pair name="p" geom1="h" geom2="g" condim="4"/><exclude name="x" body1="b" body2="a"/></contact>
<equality><connect name="e1" body1="a" body2="b" anchor="0 0 1"/><weld site1="s" site2="t" torquescale="2"/><joint joint1="j" joint2="k" polycoef="0 2"/><weld body1="b" relpose="0 0 1 1 0 0 0"/></equality>
<tendon><spatial name="rope" range="0 3" stiffness="3 1" rgba="1 0 0 1"><site site="o"/><geom geom="r" sidesite="side"/><site site="t"/><pulley divisor="2"/><site site="s"/><site site="t"/></spatial><fixed name="sum"><joint joint="j" coef="1"/><joint joint="k" coef="-2"/></fixed></tendon>
<actuator><motor name="m" joint="j"/><position joint="k" kp="3" dampratio="1"/><position name="in" joint="j" ctrlrange="0 0" kp="2" inheritrange=".9"/><velocity tendon="sum" kv="2"/><muscle tendon="rope" lengthrange=".1 2"/><general site="t" refsite="s" dyntype="filter" dynprm=".1"/><adhesion body="b" ctrlrange="0 1" gain="2"/><cylinder joint="j" area="2"/><damper joint="j" kv="1" ctrlrange="0 1"/><dcmotor joint="k" motorconst=".1" resistance="2" inductance=".1"/><general joint="j" user="1 2"/></actuator>
<sensor><touch site="t"/><framepos objtype="xbody" objname="b" reftype="site" refname="s"/><jointpos name="jp" joint="j" cutoff="2" noise=".1"/><rangefinder site="t" data="dist dir normal"/><distance geom1="g" geom2="h" cutoff="1"/>
<contact subtree1="a" num="3" data="found force" reduce="netforce"/><user dim="2" needstage="vel"/><clock user="1"/><insidesite site="t" objtype="geom" objname="g"/><actuatorfrc actuator="m" nsample="3" delay=".01" interp="linear"/><camprojection site="s" camera="c"/></sensor>
<custom><numeric name="n" data="1 2 3" size="5"/><text name="words" data="a b"/><tuple name="tu"><element objtype="body" objname="a" prm="2"/><element objtype="sensor" objname="jp"/></tuple></custom></mujoco>""",
    "soft": """<mujoco><worldbody><flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" mass="1" dim="2" radius=".01"><edge equality="true" damping=".1"/><contact condim="3" selfcollide="none"/></flexcomp>
<body name="bone1"><geom size=".1"/></body><body name="bone2" pos="1 0 0"><geom size=".1"/></body></worldbody>
<deformable><skin name="hide" vertex="0 0 0 1 0 0 0 1 0 1 1 0" face="0 1 2 2 1 3"><bone body="bone1" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1" vertweight="1 1"/><bone body="bone2" bindpos="1 0 0" bindquat="1 0 0 0" vertid="2 3" vertweight="1 .5"/></skin></deformable></mujoco>""",
    "plugins": """<mujoco><extension><plugin plugin="mujoco.pid"><instance name="one"><config key="kp" value="4"/></instance></plugin><plugin plugin="mujoco.elasticity.cable"/></extension>
<worldbody><body><joint name="j"/><geom size=".1"/><plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e2"/><config key="bend" value="3e1"/></plugin></body></worldbody>
<actuator><plugin joint="j" plugin="mujoco.pid" instance="one"/><plugin joint="j" plugin="mujoco.pid" actdim="1"><config key="ki" value="2"/></plugin></actuator></mujoco>""",
    "replicated": """<mujoco><worldbody><replicate count="3" offset="1 0 0" euler="0 0 30"><body name="post"><joint name="turn"/><geom name="pole" size=".1"/><site name="s"/></body></replicate></worldbody>
<tendon><fixed name="t"><joint joint="turn0" coef="1"/></fixed></tendon></mujoco>""",
}
