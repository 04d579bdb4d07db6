"""The extras of Graphwright: optional packages, and the errors that say how to install them."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec

from graphwright.errors import GraphwrightError, UsageError

__all__ = ["installed", "install_hint", "extra_problem"]

CORE = "graphwright"
"""The distribution of the engine and the command line."""

_NAME = re.compile(r"[\w.-]+")
"""The name at the beginning of a requirement. A full parser is slow to import, and this runs at every start."""

ALL = "all"
"""The extra that brings every package of Graphwright."""


class PackageMissing(GraphwrightError):
    """A package of an extra is needed and not installed (`missing_package`). `what` is the subject of the message."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            "missing_package",
            f"{what} needs the package {package}, which is not installed.",
            install_hint(extra),
            {"package": package, "install": f"graphwright[{extra}]"},
        )


def installed(module: str) -> bool:
    """Return whether a module can be imported. It is not imported."""
    return find_spec(module) is not None


def install_hint(extra: str) -> str:
    """Return the hint that says how to install an extra."""
    return f"Install graphwright[{extra}]: pip install 'graphwright[{extra}]'"


@lru_cache
def own_distributions() -> frozenset[str]:
    """Return the names of Graphwright's own distributions: its core, and those that the extras of the core name."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = requires(CORE) or ()
    # A copy of the source without its metadata.
    except PackageNotFoundError:
        declared = ()
    names = (name[0] for each in declared if (name := _NAME.match(each)))
    return frozenset({CORE, *(name for name in names if name.startswith(f"{CORE}-"))})


def packages_hint() -> str:
    """Return a hint that names Graphwright's own packages that are not installed; empty if all of them are."""
    own = [name for name in _missing(ALL) if name.startswith(f"{CORE}-")]
    return f"Not installed: {', '.join(own)}. All packages: pip install 'graphwright[{ALL}]'" if own else ""


def extra_problem(extra: str) -> UsageError | None:
    """The error that names the missing packages of an extra and how to install them; None if none is missing."""
    missing = _missing(extra)
    if not missing:
        return None
    message = f"Packages of the extra `{extra}` are missing ({', '.join(missing)}): pip install 'graphwright[{extra}]'."
    return UsageError("extra_missing", message, facts={"packages": missing, "install": f"graphwright[{extra}]"})


def _missing(extra: str) -> list[str]:
    from importlib.metadata import PackageNotFoundError, distribution

    missing = []
    for name in sorted(_packages_of("graphwright", extra)):
        try:
            distribution(name)
        except PackageNotFoundError:
            missing.append(name)
    return missing


@lru_cache
def _packages_of(package: str, extra: str = "") -> set[str]:
    """The distributions that a package needs, or that an extra of it adds, with those that Graphwright's own need."""
    from importlib.metadata import PackageNotFoundError, requires

    from packaging.requirements import Requirement

    try:
        declared = requires(package) or ()
    except PackageNotFoundError:
        return set()
    found: set[str] = set()
    for requirement in map(Requirement, declared):
        marker = requirement.marker
        plain = marker is None or marker.evaluate({"extra": ""})
        if not (plain if not extra else not plain and marker is not None and marker.evaluate({"extra": extra})):
            continue
        name = requirement.name
        # The distribution that needs an extra is itself an installed part of the core.
        if name != "graphwright":
            found.add(name)
            if name.startswith("graphwright-"):
                found |= _packages_of(name)
        found.update(*(_packages_of(name, each) for each in requirement.extras))
    return found
