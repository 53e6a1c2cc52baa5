"""Examples of each command, which end its help."""

from typing import NamedTuple


class Examples(NamedTuple):
    """Of a command.

    Attributes:
        page: of the documentation, where more is said.
        lines: what is typed, and what for.
    """

    page: str
    lines: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """The end of a help."""
        width = max(len(typed) for typed, _ in self.lines)
        rows = [f"  {typed:{width}}  {what}".rstrip() for typed, what in self.lines]
        return "\n".join(["examples:", *rows, "", f"documentation: docs/{self.page}"])


TOP = Examples("start.md", (
    ("mjenv watch HalfCheetah-v5",                    "show an agent that comes with mjenv"),
    ("mjenv train Hopper-v5 --run runs/hopper",       "train one of your own"),
    ("mjenv eval runs/hopper",                        "its return"),
    ("mjenv record runs/hopper --output hopper.mp4",  "film it"),
    ("mjenv train --help",                            "options and examples of a command"),
))  # fmt: skip

EXAMPLES = {
    "envs": Examples("start.md", (
        ("mjenv envs",                                "all of them"),
        ("mjenv envs hopper",                         "only those with hopper in their names"),
    )),
    "agents": Examples("learning.md", (
        ("mjenv agents",                              "their returns, and what trains them"),
    )),
    "prepare": Examples("start.md", (
        ("mjenv prepare HalfCheetah-v5",              "one environment"),
        ("mjenv prepare mytasks:Swing-v0",            "a task in mytasks.py"),
        ("mjenv prepare",                             "all environments of mjenv"),
    )),
    "port": Examples("port.md", (
        ("mjenv port HalfCheetah-v5",                 "is its step traced? if not, why"),
        ("mjenv port FetchPush-v4 --check 20",        "compared with the original, 20 steps"),
        ("mjenv port metaworld/reach-v3",             "a task of Meta-World"),
        ("mjenv port Hopper-v5 --write hopping.py",   "as a task, to keep and change"),
    )),
    "train": Examples("learning.md", (
        ("mjenv train HalfCheetah-v5 --run runs/cheetah",      "with the settings of the table"),
        ("mjenv train Hopper-v5 --seeds 3 --run runs/hopper",  "three agents, and their curves"),
        ("mjenv train mytasks:Swing-v0 --steps 1e6",           "a task in mytasks.py"),
        ("mjenv train Ant-v5 --algorithm TQC --seconds 0",     "another learner, no film"),
        ("mjenv train Ant-v5 --set gamma:0.98 n_envs:256",     "other settings"),
        ("mjenv train mytasks:Swing-v0 --set tuning/Swing-v0/best.json", "what a search found"),
        ("mjenv train --resume runs/cheetah",                  "continue an interrupted run"),
    )),
    "tune": Examples("learning.md", (
        ("mjenv tune mytasks:Swing-v0 --trials 32 --minutes 2",  "about an hour"),
        ("mjenv tune mytasks:Swing-v0 --trials 64",              "continue with 32 more trials"),
        ("mjenv tune HalfCheetah-v5 --ray --workers 8",          "eight trials at a time"),
    )),
    "eval": Examples("learning.md", (
        ("mjenv eval runs/cheetah --episodes 100",    "the trained agent"),
        ("mjenv eval runs/cheetah --checkpoint",      "its last checkpoint"),
        ('mjenv eval runs/cheetah --randomization "{}"', "without its randomization"),
    )),
    "compare": Examples("learning.md", (
        ("mjenv compare runs/hopper runs/hopper-099",  "folders of --seeds, or runs"),
        ("mjenv compare runs/* --output all.png",      "all.png, all.csv and all-seeds.csv"),
    )),
    "export": Examples("learning.md", (
        ("mjenv export runs/cheetah --output cheetah.npz",   "needs numpy alone"),
        ("mjenv export runs/cheetah --output cheetah.onnx",  "a network from raw observations"),
    )),
    "record": Examples("pictures.md", (
        ("mjenv record HalfCheetah-v5",                             "an agent of mjenv"),
        ("mjenv record runs/cheetah --output cheetah.gif",          "the agent of a run"),
        ("mjenv record runs/cheetah --output cheetah.html",         "a 3D scene for the browser"),
        ("mjenv record Ant-v5 --worlds 9 --style nice --slow 2",    "nine side by side"),
    )),
    "watch": Examples("pictures.md", (
        ("mjenv watch HalfCheetah-v5",                "an agent that comes with mjenv"),
        ("mjenv watch runs/cheetah --checkpoint",     "the last checkpoint of a run"),
    )),
    "view": Examples("pictures.md", (
        ("mjenv view robot.xml",                      "a model; pull its bodies with the mouse"),
        ("mjenv view mytasks:Swing-v0",               "an environment with random actions"),
    )),
    "doctor": Examples("questions.md", (
        ("mjenv doctor",                              "versions, and a short self-test"),
        ("mjenv doctor --no-test",                    "versions alone"),
    )),
    "digests": Examples("questions.md", (
        ("mjenv digests",                             "every environment, some minutes"),
        ("mjenv digests HalfCheetah-v5",              "one environment"),
        ("mjenv digests --record",                    "after a change of mjenv that changes bits"),
    )),
    "cache": Examples("questions.md", (
        ("mjenv cache",                               "show its folder and size"),
        ("mjenv cache --clear",                       "compile everything anew"),
    )),
    "completion": Examples("start.md", (
        ("mjenv completion bash",                     "for bash"),
    )),
}  # fmt: skip
