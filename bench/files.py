"""The cost of reading a data file: a large CSV opened, written as Parquet and summarised, in a separate program."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.measure import Result
from bench.scale import Scale

COLUMNS = 20

# The largest resident size is that of the reading process, which is the only child.
_PROGRAM = """
import json, resource, sys, time
began = time.perf_counter()
from graphwright_files import open_datasets, summary
summary(open_datasets([sys.argv[1]], sys.argv[2]))
wall = time.perf_counter() - began
own, child = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
cpu = sum(used.ru_utime + used.ru_stime for used in (own, child))
print(json.dumps({"wall": wall, "cpu": cpu, "memory": max(own.ru_maxrss, child.ru_maxrss)}))
"""


def read(work: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """A CSV of `scale.records` rows and 20 columns, opened for the first time and once more."""
    notify(f"a CSV of {scale.records:,} rows and {COLUMNS} columns")
    work.mkdir()
    file, kept = work / "records.csv", work / "kept"
    with file.open("w", encoding="utf-8") as out:
        out.writelines(_lines(scale.records))
    fresh, again, memory = Result(""), Result("the same, when it was read before"), 0
    for _ in range(scale.processes):
        shutil.rmtree(kept, ignore_errors=True)
        for result in (fresh, again):
            command = [sys.executable, "-c", _PROGRAM, str(file), str(kept)]
            told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            result.wall.append(told["wall"])
            result.cpu.append(told["cpu"])
            memory = max(memory, told["memory"])
    megabytes = file.stat().st_size / 1e6
    fresh.title = (
        f"a CSV of {scale.records:,} rows and {COLUMNS} columns ({megabytes:,.0f} MB) opened and summarised, "
        f"in at most {memory * 1024 / 1e6:,.0f} MB of memory"
    )
    return {"files/open": fresh, "files/again": again}


def _lines(rows: int) -> Iterator[str]:
    """Whole numbers, measurements, categories few and many, texts that hardly repeat, dates and truth values."""
    chance = random.Random(rows)
    names = ["id", "customer", "quantity", *(f"value_{n}" for n in range(8)), *(f"kind_{n}" for n in range(5))]
    yield ",".join([*names, "email", "day", "moment", "paid"]) + "\n"
    for number in range(rows):
        draw = chance.getrandbits(64)
        values = ",".join(f"{(draw >> shift) % 100_000 / 1_000}" for shift in range(0, 40, 5))
        kinds = ",".join(f"kind {draw % most}" for most in (3, 12, 50, 500, 5_000))
        day = f"20{draw % 30:02}-{draw % 12 + 1:02}-{draw % 28 + 1:02}"
        yield (
            f"{number},{draw % 50_000},{draw % 99},{values},{kinds},user{draw % 10_000_000}@example.org,"
            f"{day},{day} {draw % 24:02}:{draw % 60:02}:00,{'true' if draw & 1 else 'false'}\n"
        )
