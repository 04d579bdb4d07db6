"""Hostile programs: each tries to reach something outside in every known way. `given` has the locations."""

# ruff: noqa: E501

from __future__ import annotations

PRELUDE = """
import contextlib, ctypes, errno, os, platform, signal, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
folder = given["folder"]
secret = folder + "/secret.txt"
got = []
X86 = platform.machine() == "x86_64"

def syscall(number, *arguments):
    "A raw system call; its result where it succeeded, else an OSError."
    fitted = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    done = libc.syscall(ctypes.c_long(number), *fitted)
    if done < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return done

def tries(*ways):
    "Each way, whatever becomes of it; what it gave is told."
    for way in ways:
        try:
            got.append(repr(way()))
        except BaseException as error:
            if isinstance(error, (NameError, AttributeError, TypeError, SyntaxError)):
                got.append(f"BROKEN {error!r}")
"""

READS = {
    "pandas": """
tries(lambda: open(secret).read(), lambda: pd.read_csv(folder + "/secret.csv").to_dict(), lambda: np.fromfile(secret, dtype=np.uint8).tobytes(),
      lambda: pd.read_table(secret).to_dict(), lambda: np.loadtxt(secret, dtype=str), lambda: np.memmap(secret)[:].tobytes())
""",
    "libc and raw calls": """
def by_libc():
    buffer = ctypes.create_string_buffer(99)
    file = libc.open(secret.encode(), 0)
    return file >= 0 and libc.read(file, buffer, 99) >= 0 and buffer.value
how = struct.pack("QQQ", 0, 0, 0)
tries(by_libc)
tries(lambda: os.read(syscall(437, -100, secret.encode(), how, 24), 99),
      lambda: os.read(syscall(257 if X86 else 56, -100, secret.encode(), 0, 0), 99))
""",
    "by handle": """
handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
mount = ctypes.c_int()
def by_handle():
    syscall(303 if X86 else 264, -100, secret.encode(), handle, ctypes.byref(mount), 0)
    return os.read(syscall(304 if X86 else 265, os.open("/", os.O_RDONLY), handle, 0), 99)
tries(by_handle)
""",
    "roots of processes": """
for process in ("self", "thread-self", "1", str(os.getppid()), str(given["owner"]), str(given["victim"])):
    for way in ("root", "cwd"):
        tries(lambda: open(f"/proc/{process}/{way}{secret}").read(), lambda: open(f"/proc/{process}/{way}/..{secret}").read())
    tries(lambda: open(f"/proc/{process}/environ", "rb").read(), lambda: open(f"/proc/{process}/mem", "rb").read(9))
""",
    "folders": """
tries(lambda: os.listdir(folder), lambda: [e.name for e in os.scandir(folder)], lambda: os.listdir("/root"),
      lambda: os.listdir("/home"), lambda: os.listdir("/tmp"), lambda: list(os.walk("/etc")))
assert not any("secret" in each for each in got), got
got.append({True: "", False: given["folder"]}[os.path.basename(folder) not in "".join(got)])
""",
    "as a module": """
import importlib.util, runpy
def module():
    spec = importlib.util.spec_from_file_location("stolen", folder + "/secret.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made.x
sys.path.insert(0, folder)
tries(module, lambda: __import__("secret").x, lambda: runpy.run_path(folder + "/secret.py")["x"])
""",
    "accounts": """
import pwd
tries(lambda: open("/etc/passwd").read(), lambda: open("/etc/shadow").read(), lambda: pwd.getpwall()[0].pw_name + ":",
      lambda: open("/etc/group").read())
""",
    "a way around": """
tries(lambda: open("/usr/lib/.." + "/.." + secret).read(), lambda: open("../../../../../.." + secret).read(),
      lambda: open(os.open(os.path.dirname(np.__file__), os.O_RDONLY) and secret, opener=lambda p, f: os.open(
          "../" * 20 + p.lstrip("/"), f, dir_fd=os.open(os.path.dirname(np.__file__), os.O_RDONLY))).read())
""",
}

WRITES = {
    "open": """
tries(lambda: open(secret, "w").write("x"), lambda: open(secret, "a").write("x"), lambda: open(folder + "/new", "x"),
      lambda: os.open(secret, os.O_RDONLY | os.O_TRUNC), lambda: os.open(secret, 3 | os.O_TRUNC))
""",
    "truncate": "tries(lambda: os.truncate(secret, 0), lambda: syscall(76 if X86 else 45, secret.encode(), 0))",
    "modes, owners and times": """
tries(lambda: os.chown(secret, 1, 1), lambda: os.lchown(secret, 1, 1), lambda: os.utime(secret, (1, 1)),
      lambda: libc.utime(secret.encode(), None))
tries(lambda: os.chmod(secret, 0), lambda: os.chmod(folder, 0), lambda: syscall(268 if X86 else 53, -100, secret.encode(), 0),
      lambda: syscall(452, -100, secret.encode(), 0, 0))
""",
    "marks": 'tries(lambda: os.setxattr(secret, "user.x", b"y"), lambda: os.setxattr(folder, "user.x", b"y"))',
    "remove": 'tries(lambda: os.unlink(secret), lambda: os.rename(secret, folder + "/moved"), lambda: os.replace('
    'folder + "/program", secret))',
    "links": """
tries(lambda: os.link(secret, folder + "/hard"), lambda: os.symlink("/", folder + "/soft"),
      lambda: os.link(secret, "/tmp/escaped"), lambda: os.symlink(secret, "/tmp/escaped"))
""",
    "nodes": """
import stat
tries(lambda: os.mkfifo(folder + "/pipe"), lambda: os.mknod(folder + "/node", stat.S_IFREG | 0o600),
      lambda: os.mkdir(folder + "/made"), lambda: os.mkdir("/tmp/escaped"), lambda: os.mkdir("escaped"),
      lambda: os.open(folder, os.O_TMPFILE | os.O_RDWR))
""",
    "temporary files": """
import tempfile
from multiprocessing import shared_memory
tries(lambda: open("/tmp/escaped", "w"), lambda: open("/dev/shm/escaped", "w"), lambda: tempfile.mkstemp(prefix="escaped"),
      lambda: shared_memory.SharedMemory("escaped", create=True, size=10), lambda: open("/var/tmp/escaped", "w"))
""",
    "a library": """
place = os.path.dirname(np.__file__)
tries(lambda: open(place + "/__init__.py", "a").write("\\nESCAPED = 1\\n"), lambda: open(place + "/escaped.py", "w"),
      lambda: os.chmod(place, 0o777))
""",
}

NETWORK = {
    "addresses": """
tries(lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", given["udp"])))
tries(lambda: socket.create_connection(("127.0.0.1", given["port"]), 1), lambda: socket.socket(socket.AF_INET6),
      lambda: socket.socket(type=socket.SOCK_STREAM | socket.SOCK_NONBLOCK).connect(("127.0.0.1", given["port"])))
""",
    "local": """
tries(lambda: socket.socket(socket.AF_UNIX).connect(folder + "/listening"),
      lambda: socket.socket(socket.AF_UNIX).connect("\\0" + given["hidden"]))
""",
    "raw calls": """
def connect():
    made = syscall(41 if X86 else 198, 2, 1, 0)
    address = struct.pack("=H", 2) + struct.pack(">H", given["port"]) + bytes([127, 0, 0, 1]) + bytes(8)
    return syscall(42 if X86 else 203, made, address, 16)
tries(connect)
""",
    "other families": """
found = []
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        with contextlib.suppress(OSError):
            socket.socket(family, kind)
            found.append((family, kind))
with contextlib.suppress(OSError):
    socket.socketpair()
    found.append("pair")
assert not found, found
""",
    "to be reached": """
def listen():
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    made.listen()
    raise SystemExit(given["folder"])
try:
    listen()
except OSError:
    pass
""",
}

PROCESSES = {
    "fork": """
import time
def fork():
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
tries(fork, lambda: libc.fork() == 0 and time.sleep(60))
""",
    "clone": """
import time
def clone(number, *arguments):
    if syscall(number, *arguments) == 0:
        time.sleep(60)
tries(lambda: clone(56 if X86 else 220, signal.SIGCHLD, 0, 0, 0, 0), lambda: clone(435, struct.pack("8Q", *[0] * 4, 17, 0, 0, 0), 64))
if X86:
    tries(lambda: clone(57), lambda: clone(58))
""",
    "programs": """
import subprocess
program = folder + "/program"
tries(lambda: subprocess.run([program], check=True), lambda: os.system(program), lambda: os.popen(program).read(),
      lambda: os.posix_spawn(program, [program], {}), lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}),
      lambda: libc.system(program.encode()))
""",
    "become a program": """
tries(lambda: os.execv(folder + "/program", ["x"]), lambda: os.execv("/bin/sh", ["sh", "-c", folder + "/program"]),
      lambda: os.execv(sys.executable, [sys.executable, "-c", "print(1)"]),
      lambda: os.execve(os.open(sys.executable, os.O_RDONLY), ["x"], {}))
""",
    "a program in memory": """
def memory():
    made = os.memfd_create("x", 0)
    os.write(made, b"#!/bin/sh\\n" + folder.encode() + b"/program\\n")
    os.execve(made, ["x"], {})
tries(memory, lambda: syscall(319 if X86 else 279, b"x", 0))
""",
    "signals": """
for process in (given["victim"], given["owner"], os.getppid(), 1, -1, 0, 2, 3):
    for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGKILL):
        tries(lambda: os.kill(process, number), lambda: syscall(234 if X86 else 131, process, process, number),
              lambda: syscall(200 if X86 else 130, process, number),
              lambda: syscall(424, syscall(434, process, 0), number, 0, 0))
tries(lambda: os.killpg(os.getpgid(os.getppid()), 9), lambda: os.killpg(0, 9))
""",
    "tracing": """
for process in (given["victim"], given["owner"], os.getppid()):
    tries(lambda: syscall(101 if X86 else 117, 16, process, 0, 0), lambda: syscall(101 if X86 else 117, 0x4206, process, 0, 0))
""",
    "memory of others": """
buffer = ctypes.create_string_buffer(b"x" * 30, 30)
vector = lambda place, size: (ctypes.c_size_t * 2)(place, size)
for process in (given["victim"], given["owner"], os.getppid()):
    there = vector(given["address"], 30)
    here = vector(ctypes.addressof(buffer), 30)
    tries(lambda: syscall(311 if X86 else 271, process, here, 1, there, 1, 0),
          lambda: (syscall(310 if X86 else 270, process, here, 1, there, 1, 0), buffer.raw))
    def write():
        with open(f"/proc/{process}/mem", "r+b", 0) as file:
            file.seek(given["address"])
            file.write(b"x" * 30)
    tries(write)
""",
    "how others run": """
import resource
for process in (given["victim"], given["owner"]):
    tries(lambda: os.setpriority(os.PRIO_PROCESS, process, 19), lambda: os.sched_setaffinity(process, {0}),
          lambda: resource.prlimit(process, resource.RLIMIT_NOFILE, (10, 10)),
          lambda: os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0)))
""",
}

KERNEL = {
    "namespaces": """
found = []
for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x08000000, 0x04000000, 0x02000000, 0x80):
    with contextlib.suppress(OSError):
        syscall(272 if X86 else 97, flag)
        found.append(hex(flag))
assert not found, found
""",
    "mounts": """
found = []
for name, number, arguments in (
    ("mount", 165 if X86 else 40, (b"none", b"/", b"tmpfs", 0, 0)), ("pivot", 155 if X86 else 41, (b".", b".")),
    ("open tree", 428, (-100, b"/", 1)), ("fsopen", 430, (b"tmpfs", 0)), ("chroot", 161 if X86 else 51, (b"/",)),
):
    with contextlib.suppress(OSError):
        syscall(number, *arguments)
        found.append(name)
assert not found, found
""",
    "wide calls": """
page = ctypes.create_string_buffer(4096)
found = []
for name, number, arguments in (
    ("bpf", 321 if X86 else 280, (0, page, 128)), ("perf", 298 if X86 else 241, (page, 0, -1, -1, 0)),
    ("rings", 425, (8, page)), ("userfaultfd", 323 if X86 else 282, (1,)), ("keys", 250 if X86 else 219, (0, -3, 1)),
    ("add key", 248 if X86 else 217, (b"user", b"x", b"y", 1, -3)), ("module", 175 if X86 else 105, (page, 1, b"")),
    ("shared memory", 29 if X86 else 194, (0, 4096, 0o1600)), ("queue", 240 if X86 else 180, (b"escaped", 66, 0o600, 0)),
    ("ptrace me", 101 if X86 else 117, (0, 0, 0, 0)), ("landlock", 444, (page, 8, 0)), ("secret memory", 447, (0,)),
    ("personality", 135 if X86 else 92, (0x0040000,)), ("quota", 179 if X86 else 60, (0, 0, 0, page)),
    ("reboot", 169 if X86 else 142, (0, 0, 0, 0)), ("swap", 167 if X86 else 224, (b"/x", 0)),
    ("clock", 227 if X86 else 112, (0, page)), ("inotify", 294 if X86 else 26, (0,)), ("fanotify", 300 if X86 else 262, (0, 0)),
):
    with contextlib.suppress(OSError):
        syscall(number, *arguments)
        found.append(name)
assert not found, found
""",
    "powers": """
tries(lambda: os.setuid(0), lambda: os.setgroups([0]), lambda: os.setresuid(0, 0, 0))
import resource
with contextlib.suppress(OSError, ValueError):
    resource.setrlimit(resource.RLIMIT_CPU, (9999, 9999))
    raise SystemExit("limits were raised")
powers = [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")] if os.path.exists("/x") else []
assert not powers
""",
    "foreign calls": """
import mmap
if X86:
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    # int 0x80 with the 32-bit number of getpid.
    code.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
    raise SystemExit("a 32-bit call came back")
""",
    "x32 calls": """
if X86:
    libc.syscall(ctypes.c_long(0x40000000 + 39))
    raise SystemExit("an x32 call came back")
""",
}

DESCRIPTORS = {
    "read all": """
for number in range(1024):
    tries(lambda: os.pread(number, 200, 0), lambda: (os.lseek(number, 0, 0), os.set_blocking(number, False), os.read(number, 200)))
""",
    "files of descriptors": """
for process in ("self", str(os.getppid()), str(given["owner"])):
    tries(lambda: [os.readlink(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd")])
    for number in range(64):
        tries(lambda: os.read(os.open(f"/proc/{process}/fd/{number}", os.O_RDONLY | os.O_NONBLOCK), 200))
""",
    "talk to the warm process": """
for number in list(range(5, 1024)):
    tries(lambda: os.write(number, b'{"ended": {"code": 0}}\\n'), lambda: os.write(number, b'{"started": true}\\n'))
assert not got, got
""",
    "secrets in memory": """
import gc
tries(lambda: dict(os.environ), lambda: sorted(os.environb),
      lambda: [dict(o) for o in gc.get_objects() if isinstance(o, dict) and any("SECRET" in str(name) for name in list(o))],
      lambda: [frame.f_globals.get("settings") for frame in sys._current_frames().values()],
      lambda: [a for a in sys.argv if "control" not in a])
""",
}

PROGRAMS = {
    f"{category}: {name}": code
    for category, programs in {
        "reads": READS,
        "writes": WRITES,
        "network": NETWORK,
        "processes": PROCESSES,
        "kernel": KERNEL,
        "descriptors": DESCRIPTORS,
    }.items()
    for name, code in programs.items()
}
