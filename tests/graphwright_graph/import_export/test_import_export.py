"""Graphs as files: every format reads back exactly what was written, and errors of a broken file have a position."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphwright.errors import UsageError
from graphwright_graph._elements import Edge, Element, Node
from graphwright_graph._errors import BadElement
from graphwright_graph.import_export import SUFFIXES, read_files, write_file

ODD = (
    "", " ", "true", "1", "1.0", "null", "[]", '"', "'", ",", ";", "a,b", 'say "hi"', "line\nbreak", "line\r\nbreak",
    "\r", "<a>&amp;</a>", "]]>", "Größe", "灯", "👩‍👩‍👧", "=1+1", "\ttab\x01\x0b\x1f",
    "\ufeff", "\ufffe", "\u2028", "T-1", "label", "key",
)  # fmt: skip

texts = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
keys = texts.filter(lambda text: text.strip() != "")
names = st.sampled_from(["label", "type", "from_key", "source", "id", "name", "age", "x1", "_y"])
labels = st.sampled_from(["Ticket", "User", "label", "_x"])
whole = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([2**53 + 1, 2**63 - 1, -(2**63), 0, 1, -1])
# The store has no -0.0.
decimal = st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value + 0.0) | st.sampled_from(
    [1.0, 0.0, 1e22, 0.1]
)
scalars = texts | whole | decimal | st.booleans()
values = (
    scalars | st.lists(texts, max_size=3) | st.lists(whole | decimal, max_size=3) | st.lists(st.booleans(), max_size=3)
)
properties = st.dictionaries(names, values, max_size=4)
nodes = st.builds(Node, labels, keys, properties)


@st.composite
def graphs(draw: st.DrawFn) -> list[Element]:
    found = draw(st.lists(nodes, max_size=6, unique_by=lambda node: (node.label, node.key)))
    if not found:
        return []
    ends = st.sampled_from(found)
    edges = [
        Edge(a.label, a.key, type, b.label, b.key, data)
        for a, type, b, data in draw(st.lists(st.tuples(ends, labels, ends, properties), max_size=6))
    ]
    return [*found, *{edge.identity: edge for edge in edges}.values()]


def exact(elements: Any) -> list[str]:
    """The elements exactly: 1, 1.0 and true differ."""
    return [json.dumps(element.to_json(), sort_keys=True) for element in elements]


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs())
def test_every_format_round_trips_exactly(tmp_path: Path, suffix: str, graph: list[Element]) -> None:
    file = tmp_path / f"graph{suffix}"
    write_file(file, graph, overwrite=True)
    assert exact(read_files([file])) == exact(graph)


GRAPH: list[Element] = [
    Node("Ticket", "T-1", {"title": "Broken", "size": 3, "open": True, "tags": ["a", "b"]}),
    Node("User", "ann"),
    Edge("User", "ann", "REPORTS", "Ticket", "T-1", {"since": 1.5}),
]


def test_csv_is_two_tables_that_a_person_can_read(tmp_path: Path) -> None:
    written = write_file(tmp_path / "g.csv", GRAPH)
    assert [path.name for path in written] == ["g.nodes.csv", "g.edges.csv"]
    assert written[0].read_text("utf-8").splitlines() == [
        "label,key,open:boolean,size:integer,tags:json,title",
        'Ticket,T-1,true,3,"[""a"", ""b""]",Broken',
        "User,ann,,,,",
    ]
    assert written[1].read_text("utf-8").splitlines() == [
        "from_label,from_key,type,to_label,to_key,since:float",
        "User,ann,REPORTS,Ticket,T-1,1.5",
    ]
    assert exact(read_files([tmp_path / "g.csv"])) == exact(GRAPH)
    assert exact(read_files([tmp_path])) == exact(GRAPH)
    assert exact(read_files([written[1], written[0]])) == exact(GRAPH)
    assert exact(read_files([written[0]])) == exact(GRAPH[:2])


def test_a_table_from_elsewhere_is_read(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes('\ufeffkey,name,label,age:integer\r\nann,"Ann ""A""",User, 7\r\n\r\nbo,,User,\r\n'.encode())
    assert exact(read_files([file])) == exact([Node("User", "ann", {"name": 'Ann "A"', "age": 7}), Node("User", "bo")])
    for separator in ";\t":
        file.write_text(f"label{separator}key{separator}name\nUser{separator}ann{separator}A, B\n", "utf-8")
        assert exact(read_files([file])) == exact([Node("User", "ann", {"name": "A, B"})])


def test_graphml_of_other_programs_is_read(tmp_path: Path) -> None:
    file = tmp_path / "g.graphml"
    file.write_text(
        """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"><default>User</default></key>
  <key id="d1" for="node" attr.name="size" attr.type="int"/>
  <key id="d2" for="edge" attr.name="type" attr.type="string"/>
  <key id="d3" for="edge" attr.name="weight" attr.type="double"><default>1.0</default></key>
  <key id="d4" for="node" yfiles.type="nodegraphics"/>
  <graph edgedefault="directed">
    <edge id="e0" source="ann" target="T 1"><data key="d2">REPORTS</data></edge>
    <node id="T 1"><desc>no data</desc><data key="d0">Ticket</data><data key="d1">3</data></node>
    <node id="ann"><data key="d4"><Shape type="x">drawn</Shape></data></node>
  </graph>
</graphml>
""",
        "utf-8",
    )
    assert exact(read_files([file])) == exact(
        [
            Node("Ticket", "T 1", {"size": 3}),
            Node("User", "ann"),
            Edge("User", "ann", "REPORTS", "Ticket", "T 1", {"weight": 1.0}),
        ]
    )


NODE = '{"label": "A", "key": "a"}'
LAUGHS = '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><graphml><graph><node id="&b;"/></graph></graphml>'
A = '<node id="a" labels=":A"/>'


@pytest.mark.parametrize(
    ("name", "text", "place", "told"),
    [
        ("g.json", '{"nodes": [\n' + NODE + ",\n{]}", "line 3", "not JSON"),
        ("g.json", '{"nodes": [{"label": "A", "key": "a", "propertys": {}}]}', "node 1", "may have properties"),
        ("g.json", '{"nodes": [{"label": "A"}]}', "node 1", "label, key"),
        ("g.json", '{"nodes": [' + NODE + ', {"label": "A", "key": "a", "properties": {"x": 1, "x": 2}}]}', "node 2",
         "`x` occurs twice"),
        ("g.json", '{"nodes": {}}', "g.json", "not a list"),
        ("g.json", "[]", "g.json", "is not a graph"),
        ("g.json", '{"directed": true}', "g.json", "does not belong"),
        ("g.json", '{"nodes": [{"label": "A`) DELETE", "key": "a"}]}', "node 1", "cannot be a label"),
        ("g.json", '{"nodes": [{"label": "A", "key": "a", "properties": {"x": {"y": 1}}}]}', "node 1", "cannot be"),
        ("g.json", '{"nodes": [{"label": "A", "key": "a", "properties": {"x": NaN}}]}', "node 1", "finite"),
        ("g.json", '{"nodes": [{"x": ' + "[" * 100_000, "g.json", "recursion"),
        ("g.jsonl", NODE + "\n" + NODE + NODE, "line 2", "Extra data"),
        ("g.jsonl", NODE + "\nnull", "line 2", "not a node"),
        ("g.jsonl", '{"type": "R", "from_key": "a"}', "line 1", "from_label"),
        ("g.csv", "label,key\nA,\udcff", "g.csv", "UTF-8"),
        ("g.csv", "label,name\nA,x", "line 1", "columns label, key once"),
        ("g.csv", "", "g.csv", "empty"),
        ("g.csv", "label,key,age:int\nA,a,1", "line 1", "type is not known"),
        ("g.csv", "label,key,age:integer\nA,a,1\nA,b,old", "line 3", "type integer"),
        ("g.csv", "label,key,x,x:integer\nA,a,1,2", "line 2", "two values"),
        ("g.csv", 'label,key\nA,"a\nb"\nA', "line 4", "1 cells in a table of 2"),
        ("g.csv", 'label,key\nA,"a', "line 2", "not CSV"),
        ("g.graphml", LAUGHS, "g.graphml", "entities are not read"),
        ("g.graphml", "<graphml><graph>", "line 1", "not XML"),
        ("g.graphml", "<html/>", "g.graphml", "not GraphML"),
        ("g.graphml", '<graphml><graph edgedefault="undirected"/></graphml>', "g.graphml", "Undirected"),
        ("g.graphml", '<graphml><graph><node id="a"/></graph></graphml>', "node `a`", "has no label"),
        ("g.graphml", f'<graphml><graph>{A}<edge source="a" target="b" label="R"/></graph></graphml>', "edge 1",
         "names a node `b`"),
        ("g.graphml", f'<graphml><graph>{A}<edge source="a" target="a"/></graph></graphml>', "edge 1", "no type"),
        ("g.graphml", '<graphml><graph><node id="a" labels="A"><graph/></node></graph></graphml>', "node `a`",
         "nested"),
        ("g.graphml", '<graphml><graph><node id="a"><data key="z">A</data></node></graph></graphml>', "node `a`",
         "`z`"),
        ("g.graphml", '<graphml><key id="k" attr.type="date"/></graphml>', "key `k`", "type `date` is not known"),
    ],
)  # fmt: skip
def test_a_broken_file_names_file_place_and_reason(tmp_path: Path, name: str, text: str, place: str, told: str) -> None:
    file = tmp_path / name
    file.write_text(text, "utf-8", "surrogateescape")
    with pytest.raises(BadElement) as caught:
        list(read_files([file]))
    message = f"{caught.value.message} {caught.value.hint}"
    assert str(file) in message
    assert place in message
    assert told in message
    assert caught.value.hint
    assert caught.value.code == "bad_file"


def test_missing_files_and_unknown_formats_are_refused_at_once(tmp_path: Path) -> None:
    for name, code in (("no.json", "no_such_file"), ("no.csv", "no_such_file"), ("no.xlsx", "unknown_format")):
        with pytest.raises(UsageError) as caught:
            read_files([tmp_path / name])
        assert caught.value.code == code
    with pytest.raises(UsageError, match="no tables"):
        read_files([tmp_path])
    with pytest.raises(UsageError, match="no folder"):
        write_file(tmp_path / "no" / "g.json", GRAPH)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_is_replaced_only_when_asked_and_only_as_a_whole(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"g{suffix}"
    written = write_file(path, GRAPH)
    before = [file.read_bytes() for file in written]
    with pytest.raises(UsageError, match="already exists"):
        write_file(path, [])

    def broken() -> Iterator[Element]:
        yield GRAPH[0]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_file(path, broken(), overwrite=True)
    assert [file.read_bytes() for file in written] == before
    assert sorted(tmp_path.iterdir()) == sorted(written)
    write_file(path, [], overwrite=True)
    assert list(read_files([path])) == []


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_large_files_are_streamed(tmp_path: Path, suffix: str) -> None:
    count, text = 1000, "x" * 5000
    path = tmp_path / f"g{suffix}"
    write_file(path, (Node("A", f"a{n}", {"text": text}) for n in range(count)))
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_files([path])) == count
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < count * len(text) / 2
