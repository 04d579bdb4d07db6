"""The errors of the sandbox."""

from __future__ import annotations

from graphwright.errors import GraphwrightError


class SandboxUnavailable(GraphwrightError):
    """A layer of the confinement cannot be applied on this machine, or an escape succeeded.

    `layer` is one of `platform`, `threads`, `landlock`, `privileges`, `limits`, `seccomp` and `self-test`; for
    `Sandbox` also `bwrap`, and `start` or `child` if one of its processes cannot start. A process in which `confine`
    raises it may be partly confined: it must end immediately.
    """

    def __init__(self, layer: str, message: str, hint: str) -> None:
        super().__init__("sandbox_unavailable", f"No confinement ({layer}): {message}", hint)
        self.layer = layer


class LibrariesMissing(GraphwrightError):
    """The libraries for generated code are not installed."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(
            "libraries_missing",
            f"Generated code needs libraries that are not installed: {', '.join(names)}.",
            "pip install 'graphwright[data]'",
        )
