"""The right answers, computed from the data by the program of each case, and what an answer must hold of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from eval.data_scientist.cases import Case
from eval.data_scientist.tables import table
from graphwright.errors import UsageError

LEVEL = 0.05
"""The p-value below which a test says yes."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The values of a right answer: its numbers, and its texts, the names of groups among them."""

    numbers: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()


def expected(case: Case) -> list[Expected]:
    """The right answers, any of which will do. Raises UsageError where one cannot be computed."""
    return [_expected(case, value) for value in computed(case)]


def require_answer(case: Case) -> None:
    """Raise UsageError where the right answer cannot be computed, or its p-values do not agree."""
    if case.plot:
        computed(case)
        return
    found = expected(case)
    if case.concludes and len({_is_small(case, each) for each in found}) != 1:
        raise UsageError("bad_case", f"{case.id}: its tests do not come to the same", "Mend the case.")


def is_significant(case: Case) -> bool:
    """Whether the test of a case says yes: an answer that `concludes` is a p-value, or begins with one."""
    return _is_small(case, expected(case)[0])


def _is_small(case: Case, answer: Expected) -> bool:
    if not (answer.numbers and 0 <= answer.numbers[0] <= 1):
        raise UsageError("bad_case", f"{case.id}: its answer does not begin with a p-value", "Mend the case.")
    return answer.numbers[0] < LEVEL


def computed(case: Case) -> list[Any]:
    """What the programs of a case come to: for a picture what it must show. Raises UsageError."""
    try:
        return [_run(program, case.data) for program in case.answer]
    except Exception as error:
        why = f"{case.id}: its answer cannot be computed: {type(error).__name__}: {error}"
        raise UsageError("bad_case", why, "Mend the case.") from error


@cache
def _run(program: str, data: Sequence[str]) -> Any:
    """The value of an expression, or what a program leaves in `answer`. It is as trusted as the cases themselves."""
    names = {**_libraries(), **{name: table(name).copy() for name in data}}
    try:
        compiled = compile(program.strip(), "answer", "eval")
    except SyntaxError:
        exec(compile(program, "answer", "exec"), names)  # noqa: S102
        return names["answer"]
    return eval(compiled, names)  # noqa: S307


@cache
def _libraries() -> Mapping[str, Any]:
    import numpy as np
    import pandas as pd
    import statsmodels.api as sm
    import statsmodels.formula.api as smf
    from scipy import stats

    return {"np": np, "pd": pd, "stats": stats, "sm": sm, "smf": smf}


def _expected(case: Case, value: Any) -> Expected:
    try:
        atoms = list(_atoms(value))
    except TypeError as error:
        raise UsageError("bad_case", f"{case.id}: {error}", "Mend the case.") from error
    numbers = tuple(atom for atom in atoms if not isinstance(atom, str))
    if not atoms or not all(map(math.isfinite, numbers)):
        raise UsageError("bad_case", f"{case.id}: its answer holds no value, or one that is missing", "Mend the case.")
    return Expected(numbers, tuple(atom for atom in atoms if isinstance(atom, str)))


def _atoms(value: Any) -> Iterator[int | float | str]:
    """The texts and numbers in a value, the text names of groups and columns included."""
    import numpy as np
    import pandas as pd

    match value:
        case str():
            yield value
        case bool() | np.bool_():
            raise TypeError("a truth value is no answer that can be found in a result")
        case int() | np.integer():
            yield int(value)
        case float() | np.floating():
            yield float(value)
        case pd.Series():
            yield from _atoms(value.to_dict())
        case Mapping():
            for name, inner in value.items():
                parts = name if isinstance(name, tuple) else (name,)
                yield from (part for part in parts if isinstance(part, str))
                yield from _atoms(inner)
        case list() | tuple() | np.ndarray():
            for inner in value:
                yield from _atoms(inner)
        case _:
            raise TypeError(f"{type(value).__name__} is no answer that can be found in a result")
