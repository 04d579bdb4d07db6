"""Actions and validators: plain functions with a declaration of what they read and write."""

from __future__ import annotations

import inspect
import json
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from graphwright.engine.host_interface import ActionContractError

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__graphwright__"


class OutcomeUnknown(Exception):
    """An action that is not repeatable may have done its work. `why` begins the question to the user about it."""

    def __init__(self, why: str, error: str) -> None:
        super().__init__(error)
        self.why = why


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """A registered action. `reads` are channels, `answers` or `answers.KEY`; `writes` are channels.

    If the outcome of an action that is not `repeatable` is unknown, it is not retried without asking the user. An
    action without `effects` changes nothing but the channels it returns.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    function: Callable[..., Any]
    repeatable: bool = True
    effects: bool = True

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.function)


def action(
    *,
    reads: list[str] | None = None,
    writes: list[str] | None = None,
    name: str = "",
    repeatable: bool = True,
    effects: bool = True,
) -> Callable[[F], F]:
    """Declare a function of (state, ctx) as an action.

    `reads` names the contents of `state` (channels, `answers`, or single answers like `answers.email`). `writes` names
    the channels that the function may return, as a mapping. Write both as literal lists: `graphwright check` reads them
    without importing your code. `name` is the name in the flow's `run`, by default the name of the function. Raises
    TypeError if `reads` or `writes` is not a list of names.

    `repeatable=False` is for work without an idempotency key: letters are printed, a machine is started. If a crash or
    the time limit leaves the outcome of such an action unknown, it is not performed again; the thread says so and asks
    the user. An exception raised by the action means that nothing was done.

    `effects=False` is for an action that changes nothing but the channels it returns. The host stores nothing before it
    runs, which saves a transaction. After a crash the action may be performed again.

        @action(reads=["answers.wattage"], writes=["quote"])
        def make_quote(state, ctx):
            return {"quote": {"price": state["answers"]["wattage"] * 3}}
    """

    def declare(function: F) -> F:
        named = name or function.__name__
        spec = ActionSpec(
            named, _names(reads, "reads", named), _names(writes, "writes", named), function, repeatable, effects
        )
        setattr(function, _MARK, spec)
        return function

    return declare


def _names(given: object, field: str, action: str) -> tuple[str, ...]:
    names = [] if given is None else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        raise TypeError(f"{field} of action {action!r} must be a list of names, not {given!r}")
    return tuple(names)


def validator(function: F) -> F:
    """Declare a function of a value as a validator, which questions name in `validate`.

    The function returns whether the value is acceptable; it gets only values that fit the question's schema.

        @validator
        def dozen(value):
            return value % 12 == 0
    """
    setattr(function, _MARK, "validator")
    return function


def declared_in(module: object) -> tuple[dict[str, ActionSpec], dict[str, Callable[[Any], bool]]]:
    """The actions and validators of a module, by name."""
    actions: dict[str, ActionSpec] = {}
    validators: dict[str, Callable[[Any], bool]] = {}
    for item in vars(module).values():
        spec = getattr(item, _MARK, None)
        if isinstance(spec, ActionSpec):
            actions[spec.name] = spec
        elif spec == "validator":
            validators[item.__name__] = item
    return actions, validators


class ChannelReset:
    """The value that `Reset` makes."""

    def __init__(self, items: list[Any] | None) -> None:
        self.items = items


def Reset(items: list[Any] | None = None) -> Any:
    """Return a value with which an action resets a channel to its default, or replaces the list of an append channel.

    `items` are for channels with `reduce: append` only; another channel fails the action with `reset_with_items`. Type
    checkers accept the value for a channel of any type.
    """
    return ChannelReset(None if items is None else list(items))


class StateView(dict[str, Any]):
    """The state that an action may read, as a dictionary. Reading an undeclared name is an error that names it."""

    def __init__(self, values: Mapping[str, Any], spec: ActionSpec, prefix: str = "") -> None:
        super().__init__(values)
        self._spec = spec
        self._prefix = prefix

    def _refuse(self, key: object) -> ActionContractError:
        name = f"{self._prefix}{key}"
        return ActionContractError(
            "undeclared_read",
            f"Action {self._spec.name!r} reads {name!r}, which its declaration does not list.",
            f"Add {name!r} to reads=[...] of @action on {self._spec.function.__qualname__}.",
        )

    def _declared(self, key: object) -> bool:
        name = f"{self._prefix}{key}"
        return any(name == r or name.startswith(f"{r}.") or r.startswith(f"{name}.") for r in self._spec.reads)

    def __missing__(self, key: str) -> Any:
        if not self._declared(key):
            raise self._refuse(key)
        raise KeyError(f"{self._prefix}{key} has no value yet; use .get({key!r}) where that is possible")

    def get(self, key: str, default: Any = None) -> Any:
        if key not in self and not self._declared(key):
            raise self._refuse(key)
        return super().get(key, default)


def state_view(spec: ActionSpec, values: Mapping[str, Any]) -> StateView:
    """A copy of the part of `values` (`answers` and channels) that the action declared to read.

    A copy, so that an action that changes a list does not change the state of the thread.
    """
    if "answers" in spec.reads:
        answers: Mapping[str, Any] = values.get("answers") or {}
    else:
        answers = _picked(values.get("answers") or {}, [r[8:] for r in spec.reads if r.startswith("answers.")])
    names = [r for r in spec.reads if "." not in r and r != "answers" and r in values]
    view: dict[str, Any] = {name: _copied(values[name]) for name in names}
    if any(r == "answers" or r.startswith("answers.") for r in spec.reads):
        view["answers"] = StateView(_copied(dict(answers)), spec, "answers.")
    return StateView(view, spec)


def _copied(value: Any) -> Any:
    # State is plain JSON, which this copies faster than `deepcopy`.
    return json.loads(json.dumps(value))


def _picked(answers: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    picked: dict[str, Any] = {}
    for name in names:
        head, _, rest = name.partition(".")
        if head not in answers:
            continue
        inner = answers[head]
        if not rest:
            picked[head] = inner
        elif isinstance(inner, Mapping):
            picked[head] = {**picked.get(head, {}), **_picked(inner, [rest])}
    return picked


def place_in(error: BaseException, folder: Path) -> str:
    """The last file and line of `folder` that an exception passed, such as `nodes.py:12`; empty if there is none."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        frames = [(error.filename, error.lineno)]
    else:
        frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)]
    root = folder.resolve()
    own = [(path, line) for name, line in frames if (path := Path(name).resolve()).is_relative_to(root)]
    return f"{own[-1][0].relative_to(root).as_posix()}:{own[-1][1]}" if own else ""
