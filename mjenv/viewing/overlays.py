"""Text of the window over its picture: help, info, profile, sensors."""

from collections import deque
from typing import TYPE_CHECKING

from mjenv.engine.model.identities import id2name
from mjenv.visual.names import FRAME, LABEL, OBJ

from .keys import SHOWN, help_lines, switches

if TYPE_CHECKING:
    from .viewer import Viewer

Lines = list[tuple[str, str]]
PLACES = {
    "help": "top left", "flags": "top right", "info": "bottom left", "profile": "bottom right",
    "sensors": "top right",
}  # fmt: skip
GROUPS = "012345"  # keys of groups
MOST_LINES = 40  # of sensors
RECENT = 60  # frames that the profile is the mean of
SENSOR = int(OBJ.mjOBJ_SENSOR)


class Profile:
    """Duration of the parts of a frame."""

    def __init__(self):
        self._times: dict[str, deque[float]] = {}
        self._shown: deque[float] = deque(maxlen=RECENT)

    def note(self, part: str, seconds: float) -> None:
        """A part of a frame has taken so long."""
        self._times.setdefault(part, deque(maxlen=RECENT)).append(seconds)

    def frame(self, now: float) -> None:
        """A picture is shown."""
        self._shown.append(now)

    @property
    def fps(self) -> float:
        """Pictures per second of late."""
        if len(self._shown) < 2:
            return 0.0
        return (len(self._shown) - 1) / max(1e-9, self._shown[-1] - self._shown[0])

    def lines(self) -> Lines:
        """The mean of each part, ms."""
        means = [(name, 1e3 * sum(t) / len(t)) for name, t in self._times.items()]
        return [
            *((name, f"{mean:.2f} ms") for name, mean in means),
            ("pictures", f"{self.fps:.0f}/s"),
        ]


def overlays(viewer: "Viewer") -> list[tuple[Lines, str]]:
    """Lines of what is switched on, and the places of the panels."""
    on = viewer.overlays
    found = []
    if "help" in on:
        simulation = viewer.simulation
        commands = simulation is not None and simulation.commander is not None
        found.append((help_lines(simulation is not None, commands), PLACES["help"]))
        found.append((_flags(viewer), PLACES["flags"]))
    else:
        found += [
            ([(a, b) for at, a, b in viewer.texts if at == place], place)
            for place in dict.fromkeys(row[0] for row in viewer.texts)
        ]
    if "info" in on:
        found.append((info(viewer), PLACES["info"]))
    if "profile" in on:
        found.append((viewer.profile.lines(), PLACES["profile"]))
    if "sensors" in on and "help" not in on:
        found.append((sensors(viewer), PLACES["sensors"]))
    message = viewer.message
    if message:
        found.append(([("", message)], "bottom"))
    return found


def _flags(viewer: "Viewer") -> Lines:
    """Keys of what is shown, and whether it is."""
    rows = [row for row in switches() if row.key[-1] not in GROUPS]
    lines = [(row.key, f"{row.help}{' *' if row.on(viewer) else ''}") for row in rows]
    for keys, kind, shown in (
        ("0 to 5", "geoms", viewer.opt.geomgroup),
        ("shift 0 to 5", "sites", viewer.opt.sitegroup),
    ):
        on = " ".join(str(k) for k, flag in enumerate(shown) if flag)
        lines.append((keys, f"{kind} of groups ({on or 'none'})"))
    return [("", f"{SHOWN} (* is)"), *lines]


def info(viewer: "Viewer") -> Lines:
    """Time, speed, and what the last step computed."""
    data, world, real_time = viewer.data, viewer.world, viewer.real_time
    option, lines = viewer.opt, [("time", f"{data.time[world]:.3f} s")]
    # the clock
    if viewer.simulation is not None:
        state = "paused" if viewer.paused else f"{real_time.rate:.2f}"
        lines.append(("speed", f"{state} of {real_time.speed:g}"))
        if viewer.simulation.commander is not None:
            lines.append(("command", viewer.simulation.commander.words()))
    # what the solver did
    lines += [
        ("contacts", str(data.ncon[world])),
        ("constraints", str(data.nefc[world])),
        ("islands", str(data.nisland[world])),
        ("iterations", str(data.solver_niter[world].sum())),
        ("camera", viewer.camera_name()),
    ]
    # what is switched on
    if option.frame:
        lines.append(("frames", FRAME(option.frame).name.removeprefix("mjFRAME_").lower()))
    if option.label:
        lines.append(("labels", LABEL(option.label).name.removeprefix("mjLABEL_").lower()))
    if viewer.pert.select > 0:
        body = viewer.model.body(viewer.pert.select)
        lines.append(("selected", body.name or f"body {viewer.pert.select}"))
    if viewer.states:
        lines.append(("states to go back to", str(viewer.states)))
    return lines


def sensors(viewer: "Viewer") -> Lines:
    """Readings of the sensors."""
    model = viewer.model
    readings = viewer.data.sensordata[viewer.world]
    lines = []
    for k in range(min(model.nsensor, MOST_LINES)):
        adr, dim = int(model.sensor_adr[k]), int(model.sensor_dim[k])
        values = " ".join(f"{x:.3g}" for x in readings[adr : adr + min(dim, 6)])
        lines.append((id2name(model, SENSOR, k) or f"sensor {k}", values + " ..." * (dim > 6)))
    if model.nsensor > MOST_LINES:
        lines.append(("", f"and {model.nsensor - MOST_LINES} more"))
    return lines or [("", "the model has no sensors")]
