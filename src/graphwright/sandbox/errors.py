"""What can go wrong with a confinement: it is not to be had, or it does not hold."""

from __future__ import annotations

from graphwright.errors import GraphwrightError


class SandboxUnavailable(GraphwrightError):
    """A layer of the confinement cannot be applied here, or an escape succeeded.

    `layer` is one of `platform`, `threads`, `landlock`, `privileges`, `limits`, `seccomp` and `self-test`; of `Sandbox`
    also `bwrap`, `seatbelt`, and `start` or `child` where a process of its own cannot begin. Whoever gets this in the
    middle of `confine` is confined by half: it must end its process and do nothing else before.
    """

    def __init__(self, layer: str, message: str, hint: str) -> None:
        super().__init__("sandbox_unavailable", f"No confinement ({layer}): {message}", hint)
        self.layer = layer


class LibrariesMissing(GraphwrightError):
    """The libraries that generated code works with are not installed."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(
            "libraries_missing",
            f"Generated code needs libraries that are not installed: {', '.join(names)}.",
            "pip install 'graphwright[data]'",
        )
