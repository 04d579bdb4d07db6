"""The extras of the package: whether what one of them brings is installed."""

from __future__ import annotations


def extra_problem(extra: str) -> str:
    """What is missing of an extra, and how to install it; empty where all of it is there."""
    from importlib.metadata import PackageNotFoundError, version

    missing = []
    for name in _brought(extra):
        try:
            version(name)
        except PackageNotFoundError:
            missing.append(name)
    if not missing:
        return ""
    many = "s" if len(missing) > 1 else ""
    listed = ", ".join(sorted(missing))
    return f"The package{many} {listed} of the extra `{extra}` must be installed: pip install 'graphwright[{extra}]'"


def _brought(extra: str) -> set[str]:
    """The distributions that an extra brings, with those of the extras that it takes in."""
    from importlib.metadata import requires

    from packaging.requirements import Requirement

    found: set[str] = set()
    for text in requires("graphwright") or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or marker.evaluate({"extra": ""}) or not marker.evaluate({"extra": extra}):
            continue
        if requirement.name == "graphwright":
            found.update(*(_brought(other) for other in requirement.extras))
        else:
            found.add(requirement.name)
    return found
