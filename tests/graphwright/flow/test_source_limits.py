"""Hostile YAML leads to an error with its position, in bounded time and memory, in every kind of file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from graphwright.flow._json_text import MAX_DEPTH, MAX_VALUES, Unreadable
from graphwright.flow._source import MAX_FINDINGS, MAX_WRITTEN_OUT, read_yaml

READERS = {
    "flow document": """
from graphwright.flow import compile_text
def read(file):
    found = compile_text(file.read_bytes())
    return None if found.flow else "\\n".join(f"{file}:{one.span.line}: {one.message}" for one in found.diagnostics)
""",
    "conversation": """
from graphwright.testing._conversation import ConversationError, read_conversation
def read(file):
    try:
        read_conversation(file)
    except ConversationError as error:
        return error.message
""",
    "rules of a scripted model": """
from graphwright.models._scripted import BadRules, read_script
def read(file):
    try:
        read_script(file)
    except BadRules as error:
        return error.message
""",
}
"""The reader of a file, which returns its error or None."""

# In a separate process: a failure here could exhaust the machine.
_CHILD = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
for file in sys.argv[1:]:
    error = read(Path(file))
    print("read" if error is None else error, end="\\0")
"""


def _tenfold(first: str, levels: int, item: str) -> str:
    """Lines of a mapping, each with ten aliases of the previous one."""
    lines = [f"a0: &a0 {first}"]
    lines += [f"a{n}: &a{n} {item % ', '.join([f'*a{n - 1}'] * 10)}" for n in range(1, levels)]
    return "\n".join(lines)


def _contexts_of_one_list() -> str:
    lists = "{CONDITIONS: *all, GROUP_TYPES: *all, EXP_IDS: *all, EXP_POINTS: *all}"
    lines = [f"all: &all [{', '.join(['x'] * 20_000)}]", "contextMetadata:"]
    return "\n".join([*lines, *(f"  c{n}: {lists}" for n in range(10_000))])


BOMBS = {
    "aliases of aliases": (_tenfold("[x]", 40, "[%s]"), "Written out, the aliases make more than 1,000,000 values."),
    "merge keys": (_tenfold("{x: y}", 40, "{<<: [%s]}"), "Merge keys (`<<`) are not part of YAML 1.2"),
    "one list for all": (_contexts_of_one_list(), "Written out, the aliases make more than 1,000,000 values."),
    "one long text for all": (
        f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 100_000)}]",
        "Written out, the aliases make more than 8 MiB of text.",
    ),
    "aliases in depth": (
        "\n".join([f"a0: &a0 {'[' * 60}{']' * 60}", *(f"a{n}: &a{n} [[*a{n - 1}]]" for n in range(1, 2000))]),
        "Written out, the aliases nest mappings and lists more than 100 deep.",
    ),
    "open brackets": ("a: " + "[" * 200_000, "Mappings and lists nest more than 100 deep"),
    "braces": ("a: " + "{a: " * 100_000 + "}" * 100_000, "Mappings and lists nest more than 100 deep"),
    "itself": ("a: &a [*a]", "The alias `*a` contains itself."),
    "empty values": ("a:\n" + "-\n" * 4_000_000, "The document holds more than 1,000,000 values."),
    "more than is read": ("#" * (8 * 2**20 + 1), "The text has more than 8 MiB"),
}


@pytest.mark.parametrize(
    "reader", [pytest.param(name, marks=() if name == "flow document" else pytest.mark.slow) for name in READERS]
)
def test_no_reader_is_brought_down(tmp_path: Path, reader: str) -> None:
    files = [tmp_path / f"{number}.conversation.yaml" for number in range(len(BOMBS))]
    for file, (text, _) in zip(files, BOMBS.values(), strict=True):
        file.write_text(text)
    command = [sys.executable, "-c", READERS[reader] + _CHILD, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    answers = done.stdout.split("\0")[:-1]
    for file, (_, error), printed in zip(files, BOMBS.values(), answers, strict=True):
        assert f"{file}:" in printed
        assert error in printed
        assert len(printed) < 50_000


def _refused(text: str) -> str:
    with pytest.raises(Unreadable) as failure:
        read_yaml(text)
    return failure.value.findings[-1].message


def test_aliases_nest_as_deep_as_brackets_do() -> None:
    def nested(levels: int, inner: str = "") -> str:
        return "[" * levels + inner + "]" * levels

    half = MAX_DEPTH // 2 - 1  # the mapping itself is a level, too
    text = f"a: &a {nested(half)}\nb: "
    assert read_yaml(text + nested(MAX_DEPTH - 1 - half, "*a"))[2] == []
    assert "deep" in _refused(text + nested(MAX_DEPTH - half, "*a"))
    # The depth of the rest of the text does not matter for the value with the anchor.
    beside = f"a: {nested(MAX_DEPTH - 1)}\nb: &b [1]\nc: {nested(MAX_DEPTH - 2, '*b')}\n"
    assert read_yaml(beside)[2] == []
    inside = f"a: &a [{nested(half)}, &b [2], 3]\nb: {nested(MAX_DEPTH - 1 - half, '*a')}\n"
    assert "deep" in _refused(inside)


def test_nested_aliases_count_with_their_content() -> None:
    text = f"a: &a {'x' * (MAX_WRITTEN_OUT // 40)}\nb: &b [*a, *a, *a, *a]\n"
    assert read_yaml(text + "c: [*b, *b]\n")[2] == []
    assert "of text" in _refused(text + f"c: [{', '.join(['*b'] * 10)}]\n")


@pytest.mark.slow
def test_as_many_values_are_read_as_a_document_may_hold() -> None:
    assert len(read_yaml("[" + "1, " * (MAX_VALUES - 1) + "]")[0]) == MAX_VALUES - 1
    assert "values" in _refused("[" + "[], " * MAX_VALUES + "]")


def test_reading_stops_where_too_much_is_wrong() -> None:
    with pytest.raises(Unreadable) as failure:
        read_yaml("".join(f"{n}: x\n" for n in range(MAX_FINDINGS * 2)))
    assert len(failure.value.findings) == MAX_FINDINGS
