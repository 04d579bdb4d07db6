"""A confined process: allowed operations work, and no escape does, checked from outside with real processes."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from confine_support import Place, needs_confinement, places
from graphwright_confined import Limits, available
from unprivileged_support import NOBODY

pytestmark = needs_confinement


# Root also runs it as another user: the result must not depend on the user.
@pytest.fixture(
    params=[None, NOBODY] if os.getuid() == 0 else [None], ids=lambda user: "as-nobody" if user else "as-oneself"
)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    yield from places(request.param)


WRITABLE = "confine(Confinement(write=[inside]))\n"


def test_allowed_operations_work(place: Place) -> None:
    for name in ("read", "write"):
        place.put(name, "given")
    told = place.sent_values(
        """
log = open(outside / "log", "w")
isolation = confine(Confinement(read=[outside / "read"], write=[inside, outside / "write"]))
folder = inside / "a" / "b"
folder.mkdir(parents=True)
(folder / "x").write_text("one")
os.rename(folder / "x", inside / "a" / "y")
with open(inside / "a" / "y", "r+") as file:
    file.write("two")
    file.truncate()
    os.fsync(file.fileno())
    fcntl.lockf(file, fcntl.LOCK_EX)
    mapped = mmap.mmap(file.fileno(), 3)
folder.rmdir()
log.write("opened before")
log.close()
(outside / "write").write_text("after")
found = []
def work(index):
    (inside / str(index)).touch()
    found.append([tried(lambda: (outside / "x").touch()), tried(lambda: socket.socket())])
threads = [threading.Thread(target=work, args=(index,)) for index in range(9)]
for thread in threads: thread.start()
for thread in threads: thread.join()
tell([isolation, (outside / "read").read_text(), bytes(mapped).decode(), found,
      tried(lambda: (outside / "read").write_text("x")), tried(lambda: (outside / "write").unlink())])
"""
    )
    assert told == ["landlock+seccomp", "given", "two", [["EACCES", "EPERM"]] * 9, "EACCES", "EACCES"]
    assert (place.inside / "a/y").read_text("utf-8") == "two"
    contents = {path.name: path.read_text("utf-8") for path in place.outside.iterdir()}
    assert contents == {"read": "given", "write": "after", "log": "opened before"}


def test_nothing_outside_can_be_read(place: Place) -> None:
    place.put("secret", "secret")
    told = place.sent_values(
        """
(inside / "link").symlink_to(outside / "secret")
away = os.open(outside, os.O_RDONLY)
os.close(away)
confine(Confinement(write=[inside]))
tell(all_tried({
    "file": lambda: (outside / "secret").read_bytes(),
    "folder": lambda: os.listdir(outside),
    "by a link": lambda: (inside / "link").read_bytes(),
    "by a way around": lambda: (inside / ".." / "outside" / "secret").read_bytes(),
    "a hard link": lambda: os.link(outside / "secret", inside / "hard"),
    "a new link": lambda: os.symlink(outside / "secret", inside / "soft"),
    "accounts": lambda: open("/etc/passwd"),
    "devices": lambda: open("/dev/zero"),
    "itself": lambda: open("/proc/self/environ"),
    "memory": lambda: open("/proc/self/mem", "rb"),
    "its command": lambda: open("/proc/self/cmdline"),
    "another library": lambda: open(os.__file__),
}))
"""
    )
    assert set(told.values()) <= {"EACCES", "EPERM"}, told


def state(folder: Path) -> list[Any]:
    found: list[Any] = []
    for path in sorted([folder, *folder.rglob("*")]):
        it = path.lstat()
        content = path.read_bytes() if path.is_file() else None
        found.append((path.name, it.st_mode, it.st_uid, it.st_mtime_ns, it.st_nlink, content))
    return found


# Each would change something about a file or a folder that the process owns. No version of Landlock checks modes,
# owners and times.
CHANGES = """
target, folder = outside / "target", outside
tell(all_tried({
    "write": lambda: target.write_text("x"),
    "append": lambda: target.open("a"),
    "truncate": lambda: os.truncate(target, 0),
    "open truncated": lambda: os.open(target, os.O_RDONLY | os.O_TRUNC),
    "open truncated for ioctl": lambda: os.open(target, 3 | os.O_TRUNC),
    "make": lambda: (folder / "new").touch(),
    "make a folder": lambda: (folder / "new").mkdir(),
    "make a pipe": lambda: os.mkfifo(folder / "new"),
    "make a link": lambda: os.symlink("/", folder / "new"),
    "make a file without a name": lambda: os.open(folder, os.O_TMPFILE | os.O_RDWR),
    "remove": lambda: target.unlink(),
    "remove the folder": lambda: (folder / "empty").rmdir(),
    "move away": lambda: os.rename(target, inside / "moved"),
    "move in": lambda: os.rename(inside / "own", folder / "own"),
    "put in its place": lambda: os.replace(inside / "own", target),
    "mode": lambda: os.chmod(target, 0o777),
    "mode by descriptor": lambda: os.fchmod(opened, 0o777),
    "owner": lambda: os.chown(target, os.getuid(), os.getgid()),
    "times": lambda: os.utime(target, (1, 1)),
    "attribute": lambda: os.setxattr(target, "user.x", b"x"),
}))
"""


@pytest.mark.parametrize("abi", [None, 1, 2, 3])
@pytest.mark.parametrize("readable", [False, True])
def test_only_writable_files_are_changed(place: Place, abi: int | None, readable: bool) -> None:
    place.put("target", "content")
    (place.outside / "empty").mkdir()
    before = state(place.outside)
    told = place.sent_values(
        """
(inside / "own").touch()
if given["abi"]:
    landlock.abi = lambda: given["abi"]
opened = os.open(outside / "target", os.O_RDONLY)
confine(Confinement(read=[outside] if given["readable"] else [], write=[inside]))
"""
        + CHANGES,
        abi=abi,
        readable=readable,
    )
    assert state(place.outside) == before
    # A rename between folders with different rules fails with EXDEV.
    assert set(told.values()) <= {"EACCES", "EPERM", "EXDEV"}, told


def test_landlock_holds_back_by_itself_what_it_can(place: Place) -> None:
    place.put("target", "content")
    victim = place.start("tell(os.getpid())\nsys.stdin.read()")
    pid = json.loads(victim.stdout.readline())
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as local:
        local.bind("\0graphwright-test")
        local.listen()
        told = place.sent_values(
            """
seccomp.NUMBERS.update({"socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "truncate": (76, 45)})
del seccomp.RULES["kill"]
confine(Confinement(read=[outside]))
tell(all_tried({
    "connect": lambda: socket.socket().connect(("127.0.0.1", given["port"])),
    "bind": lambda: socket.socket().bind(("127.0.0.1", 0)),
    "abstract": lambda: socket.socket(socket.AF_UNIX).connect("\\0graphwright-test"),
    "signal": lambda: os.kill(given["victim"], 0),
    "itself": lambda: os.kill(os.getpid(), 0),
    "truncate": lambda: os.truncate(outside / "target", 0),
}))
""",
            port=listener.getsockname()[1],
            victim=pid,
        )
    victim.communicate("", timeout=30)
    assert told.pop("itself") == "done"
    since = {
        "truncate": (3, "EACCES"),
        "connect": (4, "EACCES"),
        "bind": (4, "EACCES"),
        "abstract": (6, "EPERM"),
        "signal": (6, "EPERM"),
    }
    assert told == {name: how if available().landlock >= version else "done" for name, (version, how) in since.items()}


def test_nothing_is_kept_of_privileges(place: Place) -> None:
    child = place.start(WRITABLE + "tell(0)\nsys.stdin.read()")
    child.stdout.readline()
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{child.pid}/status").read_text("utf-8").splitlines() if ":" in line
    )
    child.communicate("", timeout=30)
    assert status["NoNewPrivs"].strip() == "1"
    assert status["Seccomp"].strip() == "2"
    # Root can still ignore the owners of files, unlike Landlock.
    assert {int(status[name], 16) & ~0b10 for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {0}


# Root can inspect every process.
@pytest.fixture
def place_of_a_user() -> Iterator[Place]:
    yield from places(NOBODY if os.getuid() == 0 else None)


def test_the_same_user_cannot_look_into_it(place_of_a_user: Place) -> None:
    place, told = place_of_a_user, []
    for code in ("", WRITABLE):
        child = place.start(code + "tell(0)\nsys.stdin.read()")
        child.stdout.readline()
        told.append(place.sent_values("tell(tried(lambda: open(f\"/proc/{given['pid']}/environ\")))", pid=child.pid))
        child.communicate("", timeout=30)
    assert told == ["done", "EACCES"]


def test_descriptors_and_files_have_a_limit_and_no_limit_can_be_raised_again(place_of_a_user: Place) -> None:
    told = place_of_a_user.sent_values(
        """
limits = (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_CORE)
before = [resource.getrlimit(what) for what in limits]
confine(Confinement(write=[inside], limits=Limits(memory=2**30, cpu_seconds=100, files=20, file_size=10_000)))
def refused(what, values):
    try:
        resource.setrlimit(what, values)
    except (ValueError, OSError):
        return True
    return False
kept = []
def open_many():
    for index in range(100):
        kept.append(open(inside / str(index), "w"))
many = tried(open_many)
kept[0].write("x" * 10_000)
kept[0].flush()
def write_more():
    kept[0].write("x")
    kept[0].flush()
tell([many, len(kept) < 20, tried(write_more), [refused(what, values) for what, values in zip(limits, before)]])
os._exit(0)
"""
    )
    assert told == ["EMFILE", True, "EFBIG", [True] * 4]
    assert (place_of_a_user.inside / "0").stat().st_size == 10_000


def test_a_limit_below_one_is_an_error() -> None:
    with pytest.raises(ValueError, match="memory"):
        Limits(memory=0)
