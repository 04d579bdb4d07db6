"""The files of the interpreter and of the libraries: the only files of this machine that generated code can read."""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import graphwright
from graphwright_confined._errors import LibrariesMissing
from graphwright_confined.zygote.libraries import ENVIRONMENT, MODULES

_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo", "/nix/store")
_SHARED_PREFIXES = ("/", "/usr", "/usr/local")
# Libraries read the CPU quota from these files, and treat a refusal as an error.
_CPU_QUOTA = (
    "/sys/fs/cgroup/cpu.max",
    "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
    "/sys/fs/cgroup/cpu/cpu.cfs_period_us",
)


@cache
def libraries() -> tuple[Path, ...]:
    """The folders from which the libraries are imported. Raises LibrariesMissing."""
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
    """The interpreter's program file, with all links resolved."""
    return Path(sys.executable).resolve()


@cache
def standard_library() -> tuple[Path, ...]:
    """The folders of the standard library, in import order."""
    folders = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    extensions = sysconfig.get_config_var("DESTSHARED")
    if extensions:
        folders.append(Path(extensions))
    folders += [Path(folder, "lib-dynload") for folder in folders[:2]]
    return tuple(dict.fromkeys(folder for folder in folders if folder.is_dir()))


@cache
def readable() -> tuple[Path, ...]:
    """The paths that code can read: the interpreter, the standard library, the libraries, and their system files."""
    shared = Path(sysconfig.get_config_var("LIBDIR") or sys.base_prefix)
    # Under a shared prefix only libpython belongs to the interpreter; another prefix may have more files that libraries
    # load.
    own = list(shared.glob("libpython3*")) if sys.base_prefix in _SHARED_PREFIXES else [shared]
    every = [*map(Path, (*_SYSTEM, *_CPU_QUOTA)), *own, *standard_library(), *libraries()]
    return tuple(dict.fromkeys(path for path in every if path.exists()))


def package() -> tuple[Path, ...]:
    """The files of Graphwright that the warm process imports."""
    core = Path(graphwright.__file__)
    return (core, core.with_name("errors.py"), Path(__file__).parent)


def package_roots() -> tuple[Path, ...]:
    """The folders that `package` is imported from: one if both packages are installed, two in a clone."""
    return tuple(dict.fromkeys(Path(file).parents[1] for file in (__file__, graphwright.__file__)))


def readable_by_all() -> bool:
    """Whether a user without groups and privileges can read the interpreter and the libraries."""
    return all(map(_readable_by_all, (*standard_library(), *libraries(), interpreter())))


def _readable_by_all(path: Path) -> bool:
    real = path.resolve()
    try:
        return bool(real.stat().st_mode & 0o004) and all(parent.stat().st_mode & 0o001 for parent in real.parents)
    except OSError:
        return False


def command() -> list[str]:
    """The command of the warm process, without its last argument: the settings as JSON."""
    search = [*map(str, (*package_roots(), *standard_library(), *libraries()))]
    start = (
        f"import sys; sys.path[:] = {search!r}; from graphwright_confined.zygote._server import main; main(sys.argv[1])"
    )
    return [str(interpreter()), "-I", "-S", "-W", "ignore::DeprecationWarning", "-c", start]


def environment() -> dict[str, str]:
    """All environment variables of the warm process."""
    return {**ENVIRONMENT, "PATH": os.defpath}
