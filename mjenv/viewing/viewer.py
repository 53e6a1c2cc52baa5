"""`Viewer`: the window's loop, and what its keys do."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.simd.meanwhile import meanwhile
from mjenv.visual.cameras import FIXED, FREE, TRACKING
from mjenv.visual.names import CAT, FRAME, LABEL
from mjenv.visual.scene import MjvScene
from mjenv.visual.settings import (
    MjvCamera,
    MjvOption,
    MjvPerturb,
    mjv_defaultFreeCamera,
)
from mjenv.visual.update import mjv_updateScene

from .compile_wait import Closed, CompileWait
from .files import Files, pose
from .history import History
from .keys import COMMAND, TIME, glfw_code, row_of
from .mouse import Mouse
from .overlays import Profile, overlays
from .panel import WIDTH, Panel
from .real_time import RealTime
from .render_thread import RenderThread
from .screen import Screen
from .simulations import ModelSimulation
from .sliders import control_sliders, joint_sliders

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from .simulations import Simulation

SIZE, FPS = (1024, 768), 60.0
MESSAGE = 3.0  # s that a message is shown
PULLED = 0.008  # s of model time for which a pull of the mouse stays the same
STEPPING = 0.05  # s of wall time that the steps of a frame may take
QUIET = 0.05  # s between looks at events where nothing changes
EDITS = 0.5  # s between looks at the file
LEAST = 100  # rows of a window with sliders, pixels
MAXUSER = 1000  # geoms that users add


class Viewer:
    """A window on one world, which goes on by itself, or is stepped by somebody else.

    Attributes:
        simulation: what goes on; None where somebody else steps the world.
        model, data, world: what is shown.
        cam, opt, pert: camera, what is drawn, what is selected; see `mjv_updateScene`.
        user_scn: geoms that are shown besides, `user_scn.geoms[:user_scn.ngeom]`.
        texts: places, left and right words that are shown.
        images: places and pictures that are shown over the picture.
        paused: whether time stands still.
        real_time: turns wall time into steps.
        overlays: names of those that are shown.
        message: what has just happened.
        changed: whether another picture is due.
        steady: whether somebody else steps the world, and shows it many times a second.
        profile: how long the parts of a frame take.
        files: writes pictures, films and other files.
    """

    def __init__(
        self,
        simulation: "Simulation | None" = None,
        model: "Model | None" = None,
        data: "Data | None" = None,
        world: int = 0,
        size: tuple[int, int] = SIZE,
        fps: float = FPS,
        folder: str | Path = ".",
        real_time: RealTime | None = None,
        key_callback: Callable[[int], object] | None = None,
    ):
        """Open the window.

        Args:
            simulation: what goes on; None to show a model and data that somebody else steps.
            model, data: those, without a simulation.
            world: which world.
            size: width and height (pixels).
            fps: most pictures per second; 0 for as many as can be.
            folder: where files are written.
            real_time: turns wall time into steps; None for one at real speed.
            key_callback: called with GLFW's number of each key that goes down.

        Raises:
            OSError: there is no display, or the user closes the window before it has a picture.
        """
        model = model if simulation is None else simulation.model
        data = data if simulation is None else simulation.data
        assert model is not None
        assert data is not None
        # what is shown
        self.simulation, self.world, self.fps = simulation, world, fps
        self.real_time = real_time or RealTime()
        self.files, self._key_callback = Files(Path(folder), FPS, self.say), key_callback
        # its state
        self.paused, self.changed, self.message = False, True, ""
        self.overlays: set[str] = set()
        self.texts: list[tuple[str, str, str]] = []
        self.images: list[tuple[Any, np.ndarray]] = []
        self.profile, self._history = Profile(), History()
        # MuJoCo's structures of a window
        self.opt, self.pert, self.cam = MjvOption(), MjvPerturb(), MjvCamera()
        self.user_scn = MjvScene(None, MAXUSER)
        self._panel: Panel | None = None
        self._place, self._followed = (0, 0), 1
        self.steady = False
        # the clock of the loop
        self._until = self._looked = 0.0
        self.render_thread: RenderThread | None = None
        # the window, which has to be there before anything is compiled
        self._screen = Screen(size, "mjenv" if simulation is None else f"mjenv: {simulation.title}")
        self._compile_wait = CompileWait(self._screen)
        if simulation is not None and simulation.commander is not None:
            self._screen.open_pads()
        self._show(model, data)
        # compiling shows itself in the window
        try:
            with meanwhile(partial(self._compile_wait.look, self)):
                self.render_thread = RenderThread(model, self._screen.size)
                self.align()
                self._update()
        except Closed:
            self._screen.close()
            raise OSError("window: closed before there was a picture") from None

    # ------------------------------------------------------------ frames

    def run(self, frames: int | None = None) -> None:
        """Show frames until the window is closed, or so many of them."""
        try:
            while not self.closed and (frames is None or frames > 0):
                self.frame()
                frames = None if frames is None else frames - 1
        finally:
            self.close()

    def frame(self) -> None:
        """Act on what the user has done, go on, and show a picture if there is a new one.

        Where that needs code that is yet to be compiled, the window lives on meanwhile.
        """
        try:
            with meanwhile(partial(self._compile_wait.look, self)):
                self._frame()
        except Closed:
            self.close()

    def _frame(self) -> None:
        """Do what `frame` says."""
        self._obey()
        if self.closed:
            return
        self._look_at_file()
        if self.simulation is not None:
            self._go_on()
        if self.message and self.real_time.clock() > self._until:
            self.message, self.changed = "", True
        if self.changed or self._render_thread.busy:
            self._draw()
        else:
            self._screen.wait(QUIET)

    @property
    def _render_thread(self) -> RenderThread:
        """The render thread, once there is a picture."""
        assert self.render_thread is not None
        return self.render_thread

    @property
    def closed(self) -> bool:
        """True if the window is."""
        return self._screen.closed

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the window, pixels; none once it is closed."""
        return (0, 0) if self.closed else self._screen.size

    def upload(self, kind: str, number: int) -> None:
        """Draw a texture, a mesh or a height field ("hfield") as it is now."""
        if not self.closed:
            self._render_thread.finish()
            getattr(self._render_thread.renderer, f"upload_{kind}")(number)
            self.changed = True

    @property
    def states(self) -> int:
        """Number of states to go back to."""
        return len(self._history)

    def camera_name(self) -> str:
        """The camera, in words."""
        if self.cam.type == FIXED:
            return self.model.camera(self.cam.fixedcamid).name or f"{self.cam.fixedcamid}"
        if self.cam.type == TRACKING:
            body = self.model.body(self.cam.trackbodyid)
            return f"tracks {body.name or f'body {self.cam.trackbodyid}'}"
        return "free"

    def say(self, message: str) -> None:
        """Show a message for some seconds."""
        self.message, self._until, self.changed = message, self.real_time.clock() + MESSAGE, True

    def _show(self, model: "Model", data: "Data") -> None:
        """Show a model and its data from now on."""
        self.model, self.data, self._panel = model, data, None
        self.scn = MjvScene(model)
        self._mouse = Mouse(model, data, self.world, self.scn, self.cam, self.opt, self.pert)
        self.changed = True

    def _go_on(self) -> None:
        """Let the world go on by the time that has passed."""
        assert self.simulation is not None
        if self.paused:
            self.real_time.rest()
            if self._mouse.put():
                self._forward()
                self.changed = True
            return
        dt = self.simulation.dt
        # a film has all its pictures, however long they take
        filming = self.files.filming
        count = self.real_time.steps_in(1.0 / FPS, dt) if filming else self.real_time.due(dt)
        if count:
            self._history.keep(self.simulation.save())
            self._step(count, np.inf if filming else STEPPING)
        self.changed |= filming

    def _step(self, count: int, seconds: float) -> None:
        """Step, so often or until the wall time (s) is up."""
        assert self.simulation is not None
        clock, start, done, batch = self.real_time.clock, self.real_time.clock(), 0, 1
        while done < count and clock() - start < seconds:
            # pulls follow their bodies
            self._mouse.push()
            most = max(1, int(PULLED / self.simulation.dt)) if self._mouse.pulls else count
            batch = min(batch, most, count - done)
            self.simulation.step(batch)
            done, batch = done + batch, 2 * batch
        self.real_time.note(done * self.simulation.dt)
        self.profile.note("steps", clock() - start)
        self.changed = True

    def _forward(self) -> None:
        """Compute what follows from positions that were set."""
        from mjenv.engine.data.step import forward

        forward(self.model, self.data)

    def _update(self) -> None:
        """Make the scene."""
        mjv_updateScene(
            self.model, self.data, self.opt, self.pert, self.cam, int(CAT.mjCAT_ALL), self.scn,
            world=self.world,
        )  # fmt: skip
        self.scn.add(self.user_scn.geom_table[: self.user_scn.ngeom])

    @property
    def flows(self) -> bool:
        """True if a picture is shown while the next is drawn; otherwise it is how things are."""
        goes = self.steady if self.simulation is None else not self.paused
        return goes and not self.files.filming

    def _draw(self) -> None:
        """Show a picture: the one of now; where pictures flow, the one of the last frame."""
        # the picture of the state before, and a new one of this state meanwhile
        clock, screen, render_thread = self.real_time.clock, self._screen, self._render_thread
        render_thread.resize(screen.size)
        flows = self.flows
        picture = render_thread.finish() if flows else None
        if self.changed or not flows:
            self.changed = False
            before = clock()
            self._update()
            self.profile.note("scene", clock() - before)
            if flows:
                render_thread.start(self.scn)
            else:
                picture = render_thread.draw(self.scn)
        if picture is None:
            return
        self.profile.note("picture", render_thread.seconds)
        start = clock()

        # panels over the picture; films have none
        screen.draw(picture)
        if self.files.filming:
            self.files.add(screen.shown())
        for place, image in self.images:
            screen.draw(image, (place.left, screen.size[1] - place.bottom - place.height))
        panel = self._sliders()
        for lines, place in overlays(self):
            screen.panel(lines, place, WIDTH if panel is not None else 0)
        if panel is not None:
            panel.draw(clock())
        self.profile.note("words", clock() - start)
        screen.show(0 if self.files.filming else self.fps)
        self.profile.frame(clock())

    # ------------------------------------------------------------ events

    def _obey(self) -> None:
        """Act on what the user has done since the last frame, however short it was."""
        pygame = self._screen.pygame
        size = self._screen.size if not self.closed else (1, 1)
        for event in self._screen.take_events():
            if event.type == pygame.QUIT:
                self.close()
            elif event.type == pygame.KEYDOWN:
                self._key(event)
            elif event.type == pygame.JOYAXISMOTION:
                self.tell("stick", event.axis, event.value)
            elif event.type == pygame.JOYDEVICEADDED:
                self._screen.open_pads()
            elif event.type == pygame.DROPFILE:
                self.load(event.file)
            elif event.type in (pygame.VIDEORESIZE, pygame.WINDOWEXPOSED):
                self.changed = True
            else:
                self._mouse_event(event, size)
            if self.closed:
                return
        if self._panel is not None:
            self._panel.hand_on()

    def _key(self, event: Any) -> None:
        """Do what a key says."""
        name = self._screen.pygame.key.name(event.key)
        row = row_of(name, getattr(event, "unicode", ""), *self._screen.modifiers(event))
        if self._key_callback is not None:
            self._key_callback(glfw_code(name))
        if row is not None and (row.section not in (TIME, COMMAND) or self.simulation is not None):
            row.act(self)
        self.changed = True

    def _mouse_event(self, event: Any, size: tuple[int, int]) -> None:
        """Let the mouse move, press, release or scroll."""
        pygame, mouse = self._screen.pygame, self._mouse
        ctrl, _ = self._screen.modifiers(event)
        self._place = getattr(event, "pos", self._place)
        panel = self._sliders() if event.type in self._screen.mouse_events else None
        if panel is not None and not mouse.busy and panel.takes(self._place):
            panel.event(event)
        elif event.type in (pygame.MOUSEMOTION, pygame.MOUSEWHEEL):
            self.changed |= self.turn(event)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button <= 3:
            said = mouse.press(event.button, event.pos, size, ctrl, self.real_time.clock())
            if said:
                self.say(said)
            self.changed = True
        elif event.type == pygame.MOUSEBUTTONUP and event.button <= 3:
            self.let_go()

    def turn(self, event: Any, pull: bool = True) -> bool:
        """Let the mouse or its wheel move the camera, or the selected body.

        Args:
            event: pygame's.
            pull: whether a body that is pulled may be moved.

        Returns:
            Whether anything has changed.
        """
        if event.type == self._screen.pygame.MOUSEWHEEL:
            self._mouse.wheel(getattr(event, "precise_y", event.y))
            return True
        if self._mouse.pulls and not pull:
            return False
        shift = self._screen.modifiers(event)[1]
        return self._mouse.move(event.buttons, event.rel, self._screen.size[1], shift)

    def let_go(self) -> None:
        """A button of the mouse goes up."""
        self._mouse.release()
        self.changed = True

    # ------------------------------------------------------------ sliders

    def _sliders(self) -> Panel | None:
        """The panel of sliders, where it is shown; made anew for another model or size."""
        width, height = self._screen.size
        if "sliders" not in self.overlays or width < WIDTH or height < LEAST:
            return None
        if self._panel is None or self._panel.size != self._screen.size:
            simulation, buttons = self.simulation, {}
            if simulation is None:
                name, sliders = "controls", control_sliders(self.model, self.data, self.world)
            else:
                (name, sliders), buttons = simulation.sliders, simulation.buttons
            joints = joint_sliders(self.model, self.data, self.world)
            self._panel = Panel(
                self._screen, {name: sliders, "joints": joints}, buttons, self._moved
            )
        return self._panel

    def _moved(self) -> None:
        """A slider was moved: what follows is computed, where time stands still."""
        if self.simulation is not None and self.paused:
            self._forward()
        self.changed = True

    # ------------------------------------------------------------ time

    def pause(self) -> None:
        """Let time stand still, or go on."""
        self.paused = not self.paused

    def forward(self, count: int) -> None:
        """Pause, and go on by so many steps."""
        assert self.simulation is not None
        self.paused = True
        self._history.keep(self.simulation.save())
        self._step(count, np.inf)

    def back(self, count: int) -> None:
        """Pause, and go back by so many steps or frames."""
        assert self.simulation is not None
        self.paused = True
        state = self._history.back(count)
        if state is None:
            self.say("no earlier state is kept")
            return
        self.simulation.restore(state)

    def change_speed(self, factor: float) -> None:
        """Go on faster or slower."""
        self.real_time.change(factor)
        self.say(f"speed {self.real_time.speed:g}")

    def restart(self) -> None:
        """Start again."""
        assert self.simulation is not None
        self._history.keep(self.simulation.save())
        self.simulation.restart()

    def next_keyframe(self) -> None:
        """Go to the next keyframe of the model."""
        if not isinstance(self.simulation, ModelSimulation):
            self.say("keyframes are of models, not of environments")
            return
        self._history.keep(self.simulation.save())
        found = self.simulation.next_keyframe()
        self.say("the model has no keyframes" if found is None else f"keyframe {found}")

    def reload(self) -> None:
        """Read the file of the model again."""
        path = getattr(self.simulation, "path", None)
        if path is None:
            self.say("there is no file to read again")
        else:
            self.load(path)

    def load(self, path: str | Path) -> None:
        """Show the model of a file; where it is none, say so and show what was."""
        if not isinstance(self.simulation, ModelSimulation):
            self.say("files are shown by `mjenv view FILE`")
            return
        same = self.simulation.path is not None and Path(path) == self.simulation.path
        try:
            self.simulation.load(path)
        except (ValueError, OSError) as error:
            self.say(str(error).partition("\n")[0])
            return
        self._history.clear()
        self.pert.select = self.pert.active = 0
        kept = self.cam.type == FREE and same
        effects = self.scn.flags
        self._render_thread.close()
        self.render_thread = None
        self.render_thread = RenderThread(self.simulation.model, self._screen.size)
        self._show(self.simulation.model, self.simulation.data)
        self.scn.flags = effects
        if not kept:
            self.align()
        self._screen.rename(f"mjenv: {self.simulation.title}")
        self.say(f"{path} is read")

    def _look_at_file(self) -> None:
        """Read the file again when it was edited."""
        now = self.real_time.clock()
        if isinstance(self.simulation, ModelSimulation) and now - self._looked > EDITS:
            self._looked = now
            if self.simulation.edited():
                self.reload()

    def tell(self, order: str, *arguments: Any) -> None:
        """Give a robot an order, a method of `Commander`, and say what it follows now."""
        commander = None if self.simulation is None else self.simulation.commander
        known = commander is not None
        said = getattr(commander, order)(*arguments) if known else "this follows no commands"
        if said is not None:
            self.say(said)

    # ------------------------------------------------------------ looks

    def align(self) -> None:
        """Put the camera where it was at the start."""
        if self.simulation is None:
            mjv_defaultFreeCamera(self.model, self.cam)
            return
        first = self.simulation.first_view()
        for name in first.DTYPE.names or ():
            setattr(self.cam, name, getattr(first, name))
        self._followed = max(1, first.trackbodyid)

    def next_camera(self, way: int) -> None:
        """Look through the next camera: free, tracking, then those of the model."""
        places = [(FREE, -1, -1)]
        if self.model.nbody > 1:
            body = self.pert.select if self.pert.select > 0 else self._followed
            places.append((TRACKING, -1, body))
        places += [(FIXED, k, -1) for k in range(self.model.ncam)]
        found = (self.cam.type, self.cam.fixedcamid if self.cam.type == FIXED else -1)
        known = [place[:2] for place in places]
        now = known.index(found) if found in known else 0  # a camera of the user's own
        place = places[(now + way) % len(places)]
        self.cam.type, self.cam.fixedcamid, self.cam.trackbodyid = place
        self.say(f"camera: {self.camera_name()}")

    def select_parent(self) -> None:
        """Select the parent of the selected body."""
        if self.pert.select > 0:
            self.say(self._mouse.select(int(self.model.body_parentid[self.pert.select])))

    def flip(self, name: str) -> None:
        """Show an overlay, or no longer."""
        self.overlays ^= {name}

    def full_screen(self) -> None:
        """Fill the screen, or go back."""
        said = self._screen.full_screen()
        if said:
            self.say(said)

    def next_frame(self) -> None:
        """Draw the next kind of frames."""
        self.opt.frame = (self.opt.frame + 1) % int(FRAME.mjNFRAME)
        self.say(f"frames: {FRAME(self.opt.frame).name.removeprefix('mjFRAME_').lower()}")

    def next_label(self) -> None:
        """Draw the next kind of labels."""
        self.opt.label = (self.opt.label + 1) % int(LABEL.mjNLABEL)
        self.say(f"labels: {LABEL(self.opt.label).name.removeprefix('mjLABEL_').lower()}")

    # ------------------------------------------------------------ files

    def screenshot(self) -> None:
        """Write what is seen now, without panels, into a file."""
        self._update()
        self.files.picture(self._render_thread.draw(self.scn))

    def save_model(self) -> None:
        """Write the model as it is now into a file."""
        self.files.model(self.model)

    def write_numbers(self) -> None:
        """Write the data of the world into a file."""
        self.files.numbers(self.model, self.data, self.world)

    def print_pose(self) -> None:
        """Print the state of the world as a keyframe."""
        print(pose(self.model, self.data, self.world), flush=True)
        self.say("the pose is printed as a keyframe")

    def close(self) -> None:
        """Close the window, and finish a film; closing twice is no error."""
        self.files.end()
        self._mouse.release()
        if self.render_thread is not None:
            self.render_thread.close()
        self._screen.close()
