"""An environment's methods, followed with the values of one world, and written for many."""

import ast
import inspect
from typing import Any

import numpy as np

from mjenv.mujoco.structs import MjData, MjModel
from mjenv.porting.environment.original import Original
from mjenv.task.task import Task
from mjenv.writing import arrays
from mjenv.writing.draws import loop_of_draws
from mjenv.writing.expressions import element, evaluate, indices_of, items_of, parts_of
from mjenv.writing.frames import Frame, arguments_of, body_of, is_function
from mjenv.writing.lists import of_python, of_several
from mjenv.writing.physics import Physics
from mjenv.writing.program import RESET, MethodOf, Statement, needed, own_names
from mjenv.writing.statements import run_block
from mjenv.writing.values import (
    MARK,
    Function,
    NotWritten,
    Part,
    Rows,
    Several,
    Static,
    Value,
    attribute,
    called,
    code_of,
    is_static,
    literal,
    name,
    numpy,
    plain,
)


class _InPlace(Exception):
    """A function had better be written where it is called."""


Key = tuple[int, str]  # an attribute of an object
# what a task has under the names of an environment's attributes
_OF_TASK = ("dt", "frame_skip", "init_qpos", "init_qvel")


class Translation:
    """What a method of an environment does, as statements of a task.

    Attributes:
        original: the environment.
        own: attributes that each world has its own of.
        whole: functions that are written where they are called.
        statements: what has been written so far.
        methods: of the task, by what they are written after.
        attributes: that have been assigned to, and their values.
        settled: attributes of the environment that have been read and are parameters, by name.
        read: attributes that were read before they were assigned to.
        constants: of modules.
        drawn: functions of random generators that are called by `rng.each`.
        physics: the data, and calls of the engine.
        branches: `if`s of values that are being followed.
    """

    def __init__(
        self, original: Original, phase: str, own: dict[Key, str], whole: set[Any],
        begun: dict[Key, Any],
    ):  # fmt: skip
        """Begin.

        Args:
            original: the environment.
            phase: BEFORE for a step, RESET.
            own: names of what each world has its own of.
            whole: see above.
            begun: attributes that resets make, and their values after one.
        """
        self.begun = begun
        self.original, self.own, self.whole = original, own, whole
        self.phase = phase
        self.statements: list[Statement] = []
        self.methods: dict[Any, MethodOf] = {}
        self.attributes: dict[Key, Value] = {}
        self.settled: dict[str, Any] = {}
        self.read: set[Key] = set()
        self.constants: dict[str, Any] = {}
        self.drawn: dict[str, ast.FunctionDef] = {}
        self.branches = self._trials = 0
        self.frames: list[Frame] = []
        self.physics = Physics(self, original.data)
        self._count = 0
        self._where = ""

    # where it is

    def at(self, node: ast.AST, frame: Frame) -> None:
        """Remember the line, for messages."""
        file = frame.function.__code__.co_filename.rpartition("/")[2]
        line = getattr(node, "lineno", None)
        if line is not None:
            self._where = f"{file}:{line} in {frame.function.__name__}"

    @property
    def where(self) -> str:
        """The line that is being followed."""
        return self._where

    def effect(self) -> None:
        """Note that something is changed, which methods of a task do not.

        Raises:
            _InPlace: a method is being written.
        """
        if self._trials:
            raise _InPlace

    # names

    def fresh(self, word: str) -> str:
        """A variable that no other has the name of."""
        self._count += 1
        return f"{word}{MARK}{self._count}"

    def emit(
        self, word: str, code: ast.expr, static: bool = False, draws: bool = False
    ) -> ast.Name:
        """Give a value a name of its own."""
        target = self.fresh(word)
        node = ast.Assign([ast.Name(target, ast.Store())], code)
        self.statements.append(Statement([target], node, self.phase, static, draws=draws))
        return name(target)

    def bind(self, target: ast.expr, value: Value, frame: Frame, quiet: bool = False) -> None:
        """Assign a value.

        Args:
            target: a name, attribute, element, or several.
            value: it.
            frame: whose names they are.
            quiet: whether the value keeps its words, without a statement of its own.
        """
        if isinstance(target, ast.Name):
            frame.names[target.id] = value if quiet else self._named(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value, frame, quiet)
        elif isinstance(target, ast.Attribute):
            of = evaluate(self, target.value, frame)
            self._set_attribute(of, target.attr, value)
        elif isinstance(target, ast.Subscript):
            self._set_element(target, value, frame)
        else:
            raise NotWritten(f"found an assignment to `{ast.unparse(target)}`")

    def _named(self, word: str, value: Value) -> Value:
        """A value with a name of its own, if that is worth it."""
        if isinstance(value, Rows):
            if isinstance(value.code, ast.Name):
                return value
            return Rows(value.value, self.emit(word, value.code), value.view)
        if not isinstance(value, Static) or isinstance(value.value, str) or word == "_":
            return value
        if isinstance(value.code, ast.UnaryOp | ast.BinOp | ast.Call):
            return Static(value.value, self.emit(word, value.code, static=True))
        return value

    def _unpack(self, targets: list[ast.expr], value: Value, frame: Frame, quiet: bool) -> None:
        if any(isinstance(one, ast.Starred) for one in targets):
            raise NotWritten("found a star among the targets of an assignment")
        if isinstance(value, Rows) and isinstance(value.code, ast.Call):
            value = Rows(value.value, self.emit("values", value.code), None)
        items = items_of(value)
        if len(items) != len(targets):
            raise NotWritten(f"found {len(items)} values for {len(targets)} names")
        simple = all(isinstance(one, ast.Name) for one in targets)
        parameter = isinstance(value, Static) and isinstance(value.code, ast.Attribute)
        if simple and parameter and not quiet and isinstance(value, Static) and value.code:
            words = [self.fresh(one.id) for one in targets]  # type: ignore[attr-defined]
            stores: list[ast.expr] = [ast.Name(word, ast.Store()) for word in words]
            node = ast.Assign([ast.Tuple(stores, ast.Store())], value.code)
            self.statements.append(Statement(words, node, self.phase, True))
            for one, word, item in zip(targets, words, items, strict=True):
                frame.names[one.id] = Static(plain(item), name(word))  # type: ignore[attr-defined]
            return
        for one, item in zip(targets, items, strict=True):
            self.bind(one, item, frame, quiet)

    # attributes

    def attribute(self, of: Value, word: str) -> Value:
        """The value of an attribute."""
        if isinstance(of, Rows):
            return arrays.attribute_of(of, word)
        if isinstance(of, Several):
            return Part(of, word)  # type: ignore[arg-type]
        if not isinstance(of, Static):
            raise NotWritten(f"found .{word} of a function")
        value = of.value
        if isinstance(value, super):
            return self._inherited(value, word)
        found = self.physics.attribute(of, word)
        if found is not None:
            return found
        if self.original._follows(value):
            return self._own_attribute(value, word)
        part = getattr(value, word)
        if of.code is None:
            return Static(part, self._numpy_code(part))
        return Static(part, attribute(of.code, word))

    def _numpy_code(self, value: Any) -> ast.expr | None:
        known = getattr(np, getattr(value, "__name__", " "), None) is value
        return numpy(value.__name__) if known else None

    def _inherited(self, value: Any, word: str) -> Value:
        found = getattr(value, word)
        inner = getattr(found, "__func__", found)
        return Function(inner, Static(value.__self__)) if is_function(inner) else Static(found)

    def _own_attribute(self, of: Any, word: str) -> Value:
        """An attribute of the environment, or of an object of its package."""
        key = id(of), word
        if key in self.attributes:
            return self.attributes[key]
        found = inspect.getattr_static(of, word, None)
        if isinstance(found, property):
            if word in ("np_random", "unwrapped"):
                return Static(getattr(of, word), name("rng") if word == "np_random" else None)
            return self._settled(of, word, self.call_function(found.fget, Static(of), [], {}))
        value = self.begun[key] if key in self.begun else getattr(of, word)
        inner = getattr(value, "__func__", value)
        if is_function(inner):
            return Function(inner, Static(of) if inner is not value else None)
        if isinstance(value, np.random.Generator):
            return Static(value, name("rng"))
        if isinstance(value, MjData | MjModel):
            return Static(value, self.physics.word_of(value))
        self.read.add(key)
        if key in self.own:
            if self.phase == RESET:
                raise NotWritten(f"found self.{word} in a reset, of the episode before")
            state = attribute(attribute(name("data"), "state"), self.own[key])
            return Rows(np.array(value)[()], state)
        return self._settled(of, word, Static(value))

    def _settled(self, of: Any, word: str, value: Value) -> Value:
        """What is the same in all worlds is a parameter of the task."""
        if not isinstance(value, Static):
            return value
        plain_word = word.lstrip("_")
        if of is not self.original.inner:
            return value
        if word in _OF_TASK:
            like = {"init_qpos": self.original.model.qpos0,
                    "init_qvel": np.zeros(self.original.model.nv)}.get(word)  # fmt: skip
            if like is None or np.array_equal(like, value.value):
                return Static(value.value, attribute(name("self"), word))
        if value.code is not None:
            return value
        try:
            literal(value.value)
        except NotWritten:
            return value
        if isinstance(value.value, dict):
            return value
        if hasattr(Task, plain_word):
            plain_word = f"own_{plain_word}"
        if self.settled.setdefault(plain_word, value.value) is not value.value:
            return Static(value.value)
        return Static(value.value, attribute(name("self"), plain_word))

    def _set_attribute(self, of: Value, word: str, value: Value) -> None:
        if self.physics.put_whole(of, word, value):
            return
        if not isinstance(of, Static) or not self.original._follows(of.value):
            raise NotWritten(f"found an assignment to .{word}, expected attributes of its own")
        self.effect()
        self.attributes[id(of.value), word] = self._named(word.lstrip("_"), value)

    # elements of arrays

    def _set_element(self, target: ast.Subscript, value: Value, frame: Frame) -> None:
        """Assign to a part of an array."""
        place, parts = parts_of(target)
        of = evaluate(self, place.value, frame) if isinstance(place, ast.Attribute) else None
        # a field of the data or of the model
        if isinstance(of, Static) and isinstance(of.value, MjData | MjModel):
            indices = [one for part in parts for one in indices_of(self, part, frame)]
            if all(isinstance(i, int | np.integer) for i, _ in indices[: len(parts) - 1]):
                self.effect()
                self.physics.put_part(of, place.attr, indices, value)  # type: ignore[attr-defined]
                return
        # an attribute, or a variable
        elif len(parts) == 1 and isinstance(of, Static) and self.original._follows(of.value):
            word: str = place.attr  # type: ignore[attr-defined]
            before = self.attribute(of, word)
            changed = self._with_element(before, target, value, frame, word.lstrip("_"))
            self.effect()
            self.attributes[id(of.value), word] = changed
            return
        elif len(parts) == 1 and isinstance(place, ast.Name):
            before = evaluate(self, place, frame)
            frame.names[place.id] = self._with_element(before, target, value, frame, place.id)
            return
        raise NotWritten(f"found an assignment to `{ast.unparse(target)}`")

    def _with_element(
        self, before: Value, target: ast.Subscript, value: Value, frame: Frame, word: str
    ) -> Value:
        """An array or a dict, one part of which is another."""
        if isinstance(before, Several):
            key = plain(evaluate(self, target.slice, frame))
            items = dict(before.items) if before.kind is dict else list(before.items)
            items[key] = value
            return Several(items, before.kind)
        if isinstance(before, Static) and isinstance(before.value, dict):
            key = plain(evaluate(self, target.slice, frame))
            return Several({**{n: Static(v) for n, v in before.value.items()}, key: value}, dict)
        indices = indices_of(self, target.slice, frame)
        return self.with_part(before, indices, value, word)

    def with_part(
        self, before: Value, indices: list[tuple[Any, ast.expr]], value: Value, word: str
    ) -> Value:
        """An array whose elements at indices are others."""
        if is_static(before) and is_static(value):
            array = np.array(plain(before))
            array[tuple(i for i, _ in indices)] = plain(value)
            return Static(array)
        if isinstance(before, Static):
            assert isinstance(value, Rows)
            before = (arrays.like if self.phase == RESET else arrays.spread)(before, value)
        rows = arrays.as_rows(before)
        whole = np.ndim(rows.value) == 1 and len(indices) == 1 and indices[0][0] == slice(None)
        if whole and np.ndim(plain(value)) == 1 and isinstance(value, Rows):
            return self._named(word, value)
        # what is not this array's own, or what another branch needs, is copied
        fresh = isinstance(rows.code, ast.Name) and not self.branches and rows.view is None
        copied = rows.code if fresh else self.emit(word, called(attribute(rows.code, "copy")))
        part = element(Rows(rows.value, copied), indices)
        found = np.array(rows.value)
        found[tuple(i for i, _ in indices)] = plain(value)
        code = part.code if isinstance(part.code, ast.Subscript) else ast.Subscript(
            part.code, ast.Constant(...), ast.Load())  # fmt: skip
        store = ast.Subscript(code.value, code.slice, ast.Store())
        node = ast.Assign([store], arrays.lifted(value, np.ndim(part.value)))
        assert isinstance(copied, ast.Name)
        self.statements.append(Statement([copied.id], node, self.phase, changes=True))
        return Rows(found, copied)

    # branches

    def saved(self, frame: Frame) -> tuple[Any, ...]:
        """What statements may change."""
        return dict(frame.names), dict(self.attributes), self.physics.saved(), self.phase

    def put_back(self, saved: tuple[Any, ...], frame: Frame) -> None:
        """Have all as it was."""
        if self.phase != saved[3]:
            raise NotWritten("found steps of the physics after an `if` of values")
        frame.names, self.attributes = dict(saved[0]), dict(saved[1])
        self.physics.put_back(saved[2])

    def merge(self, condition: Rows, one: tuple[Any, ...], frame: Frame) -> None:
        """Join what both branches of an `if` have changed; now is after the second."""
        if not isinstance(condition.code, ast.Name):
            condition = Rows(condition.value, self.emit("condition", condition.code))
        both: list[tuple[dict[Any, Value], dict[Any, Value]]] = [
            (frame.names, one[0]), (self.attributes, one[1]), (self.physics.fields, one[2]),
        ]  # fmt: skip
        for mine, theirs in both:
            for key in {**theirs, **mine}:
                self._merge_one(condition, mine, theirs, key)

    def _merge_one(self, condition: Rows, mine: Any, theirs: Any, key: Any) -> None:
        if mine is self.attributes:
            for side in (mine, theirs):
                if key not in side:
                    side[key] = self._before(key)
        if mine is self.physics.fields and (key in mine) != (key in theirs):
            raise NotWritten(f"data.{key}: found a value in one branch of an `if` alone")
        if key not in mine or key not in theirs:
            # a variable of one branch, which the other has not
            mine.pop(key, None)
            return
        if mine[key] is theirs[key]:
            return
        word = key if isinstance(key, str) else key[1].lstrip("_")
        mine[key] = self._named(word, arrays.chosen(condition, theirs[key], mine[key]))

    def _before(self, key: Key) -> Value:
        """The value of an attribute before it was assigned to."""
        kept, self.attributes = self.attributes, {}
        try:
            return self._own_attribute(self._object(key[0]), key[1])
        finally:
            self.attributes = kept

    def _object(self, number: int) -> Any:
        return next(o for _, o in self.original.places._walk() if id(o) == number)

    # calls

    def call(self, function: Value, args: list[Value], options: dict[str, Value]) -> Value:
        """The result of a call."""
        if isinstance(function, Function):
            if function.function.__module__.startswith("gymnasium.core"):
                return Static(None, ast.Constant(None))
            return self.call_function(function.function, function.bound, args, options)
        if isinstance(function, Part):
            if isinstance(function.of, Several):
                return of_several(function.of, function.name, args, not self.branches)
            return arrays.method_of(function, args, options)
        if not isinstance(function, Static):
            raise NotWritten("found a call of a number, expected one of a function")
        value = function.value
        given = [*args, *options.values()]
        if is_function(value) and self._is_followed(value, given):
            return self.call_function(value, None, args, options)
        found = self.physics.call(function, args, options)
        if found is not None:
            return found
        if value in (zip, enumerate, reversed, list, tuple, dict, range, sorted):
            found = of_python(value, args, options)
            if found is not None:
                return found
        if all(is_static(one) for one in (*args, *options.values())):
            return self._static_call(arrays.settled(function), args, options)
        return arrays.of_arrays(value, args, options)

    def _is_followed(self, function: Any, given: list[Value]) -> bool:
        """True for functions of the package, and for others that get values of a world."""
        if self.original.is_theirs(function.__module__):
            return True
        top = function.__module__.partition(".")[0]
        if top in ("numpy", "mjenv", "gymnasium", "copy"):
            return False
        objects = (self.original.inner, self.original.data)
        return any(not is_static(v) or any(plain(v) is o for o in objects) for v in given)

    def _static_call(self, function: Static, args: list[Value], options: dict[str, Value]) -> Value:
        """A call that is the same in all worlds."""
        found = function.value(
            *(plain(one) for one in args), **{n: plain(v) for n, v in options.items()}
        )
        if found is NotImplemented or function.code is None:
            return Static(found)
        try:
            codes = [code_of(one) for one in args]
            named = {n: code_of(v) for n, v in options.items()}
        except NotWritten:
            return Static(found)
        if function.value in (float, int, bool) and isinstance(codes[0], ast.Constant):
            return Static(found, ast.Constant(found))
        return Static(found, called(function.code, *codes, **named))

    def call_function(
        self, function: Any, bound: Static | None, args: list[Value], options: dict[str, Value]
    ) -> Value:
        """The result of a function of the package: a method of the task, or written in place."""
        arguments = arguments_of(function, bound, args, options)
        where = self._where
        if function not in self.whole and self.phase != RESET:
            found = self._as_method(function, bound, arguments)
            if found is not None:
                self._where = where
                return found
            self.whole.add(function)
        result = self._followed(function, bound, arguments, {})
        self._where = where
        return result

    def _followed(
        self, function: Any, bound: Static | None, arguments: dict[str, Value],
        inside: dict[str, Value],
    ) -> Value:  # fmt: skip
        """Follow a function to its end."""
        frame = Frame(function, bound, self.constants)
        if len(self.frames) > 40:
            raise NotWritten(f"found {function.__qualname__} calling itself, expected loops")
        for word, value in arguments.items():
            given = inside.get(word, value)
            if word not in inside and isinstance(given, Rows):
                given = self._named(word, given)
            frame.names[word] = given
        self.frames.append(frame)
        try:
            found = run_block(self, body_of(function), frame)
        finally:
            self.frames.pop()
        return Static(None, ast.Constant(None)) if found is None else found

    def _as_method(
        self, function: Any, bound: Static | None, arguments: dict[str, Value]
    ) -> Value | None:
        """A call of a method of the task; None where it had better be written in place."""
        self_word = next(iter(arguments)) if bound is not None else None
        inside: dict[str, Value] = {}
        for word, value in arguments.items():
            if word == self_word:
                continue
            if isinstance(value, Rows):
                inside[word] = Rows(value.value, name(word))
            elif isinstance(value, Static) and value.code is not None and own_names(value.code):
                inside[word] = Static(value.value, name(word))
            elif isinstance(value, Several) and not is_static(value):
                return None
        # follow it aside: what changes something is no method
        saved, count = self.statements, self._count
        self.statements = []
        self._trials += 1
        try:
            result = self._followed(function, bound, arguments, inside)
            written = self.statements
        except (_InPlace, NotWritten):
            self._count = count
            return None
        finally:
            self._trials -= 1
            self.statements = saved
        if isinstance(result, Static) and not written:
            return result
        if not isinstance(result, Rows):
            return None
        # a short expression stands where it is called
        statements = needed(written, [result.code])
        if not statements and not inside and len(body_of(function)) == 1:
            return result if own_names(result.code) == set() else None
        words = {w for s in statements for w in s.reads} | {n.id for n in ast.walk(result.code)
                                                           if isinstance(n, ast.Name)}  # fmt: skip
        made = {w for s in statements for w in s.targets}
        if {w for w in words if MARK in w} - made:
            return None
        # one method for the same arguments
        used = [word for word in inside if word in words]
        settled = [w for w in arguments if w not in inside and w != self_word]
        axes = [(w, int(np.ndim(plain(inside[w])))) for w in used]
        key = (function, *(_key(arguments[w]) for w in settled), *axes)
        if key not in self.methods:
            word = self._method_name(function)
            if word is None:
                return None
            self.methods[key] = MethodOf(word, used, "data" in words, statements, result.code)
        method = self.methods[key]
        given = [name("data")] if method.reads_data else []
        given += [code_of(arguments[word]) for word in used]
        view = None
        return Rows(result.value, called(attribute(name("self"), method.word), *given), view)

    def _method_name(self, function: Any) -> str | None:
        """A name that is free; None if a parameter has it."""
        word = function.__name__.lstrip("_")
        if hasattr(Task, word) or (
            hasattr(self.original.inner, f"_{word}") and (f"_{word}" != function.__name__)
        ):
            return None
        taken, number, free = {one.word for one in self.methods.values()}, 2, word
        while free in taken:
            free, number = f"{word}_{number}", number + 1
        return free

    def draws_until(self, node: ast.While, frame: Frame) -> bool:
        """Write a loop that draws until something fits, if it is one."""
        if self.phase != RESET:
            return False
        return loop_of_draws(self, node, frame)

    def freeze(self) -> None:
        """Name what has been computed before the physics, for what comes after them."""
        for frame in self.frames:
            for word, value in frame.names.items():
                frame.names[word] = self._frozen(word, value)
        for key, value in self.attributes.items():
            self.attributes[key] = self._frozen(key[1].lstrip("_"), value)

    def _frozen(self, word: str, value: Value) -> Value:
        if isinstance(value, Several):
            if value.kind is dict:
                return Several({n: self._frozen(str(n), v) for n, v in value.items.items()}, dict)
            return Several([self._frozen(word, v) for v in value.items], value.kind)
        if not isinstance(value, Rows):
            return value
        if value.view is not None and np.ndim(value.value):
            return Rows(value.value, value.view, value.view)
        if isinstance(value.code, ast.Name):
            return value
        return Rows(value.value, self.emit(word, value.code))


def _key(value: Value) -> Any:
    """What tells arguments apart that are the same in all worlds."""
    return repr(plain(value)) if is_static(value) else None
