"""Places: the files of the interpreter and the libraries, which is all of this machine that generated code may read."""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from graphwright.sandbox.errors import LibrariesMissing
from graphwright.sandbox.zygote.libraries import MODULES

_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo", "/nix/store")
_SHARED_PREFIXES = ("/", "/usr", "/usr/local")
# How many processors one may use: who asks for it takes a refusal for an error.
_SHARES = (
    "/sys/fs/cgroup/cpu.max",
    "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
    "/sys/fs/cgroup/cpu/cpu.cfs_period_us",
)
_OF_MAC = ("/usr/lib", "/System/Library", "/usr/share/zoneinfo", "/private/var/db/timezone", "/dev/urandom")


@cache
def libraries() -> tuple[Path, ...]:
    """The folders that the libraries are imported from. Raises LibrariesMissing."""
    found: dict[Path, None] = {}
    missing = []
    for name in MODULES:
        spec = find_spec(name)
        if spec is None or not spec.submodule_search_locations:
            missing.append(name)
        else:
            found[Path(next(iter(spec.submodule_search_locations))).parent.absolute()] = None
    if missing:
        raise LibrariesMissing(missing)
    return tuple(found)


@cache
def interpreter() -> Path:
    """The interpreter's program itself, beyond all links."""
    return Path(sys.executable).resolve()


@cache
def standard() -> tuple[Path, ...]:
    """The folders of the standard library, in the order in which modules are looked for."""
    folders = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    extensions = sysconfig.get_config_var("DESTSHARED")
    if extensions:
        folders.append(Path(extensions))
    folders += [Path(folder, "lib-dynload") for folder in folders[:2]]
    return tuple(dict.fromkeys(folder for folder in folders if folder.is_dir()))


@cache
def readable() -> tuple[Path, ...]:
    """What code may read: interpreter, standard library, libraries, and what these load of the system."""
    system = _OF_MAC if sys.platform == "darwin" else (*_SYSTEM, *_SHARES)
    shared = Path(sysconfig.get_config_var("LIBDIR") or sys.base_prefix)
    # An interpreter with a folder of its own may keep there what libraries load, too; elsewhere one file is its own.
    own = list(shared.glob("libpython3*")) if sys.base_prefix in _SHARED_PREFIXES else [shared]
    every = [*map(Path, system), *own, *standard(), *libraries()]
    return tuple(dict.fromkeys(path for path in every if path.exists()))


def package() -> tuple[Path, ...]:
    """What the warm process itself needs of this package."""
    room = Path(__file__).parent
    return (room.parent / "__init__.py", room.parent / "errors.py", room)


def root() -> Path:
    """The folder that this package is imported from."""
    return Path(__file__).parents[2]


def reached_by(user: int) -> bool:
    """Whether this user, with no group and no privilege, can read the interpreter and the libraries."""
    return all(_open_to_all(path) for path in (*standard(), *libraries(), interpreter()))


def _open_to_all(path: Path) -> bool:
    real = path.resolve()
    try:
        return bool(real.stat().st_mode & 0o004) and all(parent.stat().st_mode & 0o001 for parent in real.parents)
    except OSError:
        return False


def command() -> list[str]:
    """How the warm process is started; its settings come as one more argument."""
    search = [str(root()), *map(str, (*standard(), *libraries()))]
    start = (
        f"import sys; sys.path[:] = {search!r}; from graphwright.sandbox.zygote.serving import main; main(sys.argv[1])"
    )
    return [str(interpreter()), "-I", "-S", "-W", "ignore::DeprecationWarning", "-c", start]


def environment() -> dict[str, str]:
    """The whole environment in there."""
    from graphwright.sandbox.zygote.libraries import ENVIRONMENT

    return {**ENVIRONMENT, "PATH": os.defpath}
