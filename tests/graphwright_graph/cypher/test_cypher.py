"""Reading Cypher: the operations and names of a query, and refusals with the position and a way out."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright_graph._errors import QueryRefused
from graphwright_graph.cypher import _parser as parser
from graphwright_graph.cypher import parse

READS = {
    "MATCH (a:Ticket)-[r:BLOCKS*1..3]->(b) RETURN DISTINCT a.key , b.key": ("a.key", "b.key"),
    "MATCH (a)-[:BLOCKS|ASSIGNED]-(b) WITH a, count(b) AS c WHERE c > 0 WITH a, c RETURN a.key, c": ("a.key", "c"),
    "MATCH (n) RETURN n.key AS k UNION ALL MATCH (n:User) RETURN n.name AS k": ("k",),
    "MATCH (n) WHERE n.key STARTS WITH 'T' WITH n.key AS key RETURN key /* the end */ // really": ("key",),
    "MATCH (n) WHERE any(x IN ['DELETE', 'SET'] WHERE x = n.key) RETURN n.key": ("n.key",),
    "MATCH (n:Ticket) RETURN CASE WHEN n.open THEN 'CREATE' ELSE 'no' END AS `set n`": ("set n",),
}
WRITES = {
    "CREATE (n:Ticket {key: 'T-9'})": (),
    "MERGE (n:User {key: 'new'}) ON CREATE SET n.name = 'x' RETURN n.key": ("n.key",),
    "MATCH (n:User) WITH n AS m WITH m CREATE (:Copy {key: m.key})": (),
    "// MATCH (n) RETURN n\nMATCH (n:User) /* RETURN */ delete /**/ n": (),
    "MATCH (n) SET n.name = 'RETURN n'": (),
}
REFUSED = {
    # operations that the store does not allow
    "LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l": "graphwright graph import",
    "CALL db.labels()": "procedures",
    "CALL { MATCH (n) RETURN n } RETURN n": "procedures",
    "MATCH (n) WHERE EXISTS { MATCH (n)-->(m) SET m.x = 1 } RETURN n": "MATCH",
    "MATCH (n) WHERE exists(n.x) RETURN n": "IS NOT NULL",
    "FOREACH (x IN [1] | CREATE (:A))": "UNWIND",
    "MATCH (n) RETURN n; MATCH (m) DELETE m": "Several statements",
    "RETURN 1 AS x; ATTACH DATABASE '/tmp/other.db' AS other": "Several statements",
    "EXPLAIN MATCH (n) RETURN n": "EXPLAIN",
    "USE other MATCH (n) RETURN n": "USE is not accepted",
    "CREATE INDEX FOR (n:A) ON (n.k)": "store keeps",
    "MATCH (n) RETURN load_extension('x')": "`load_extension` is not known",
    "MATCH (n) RETURN readfile('/etc/passwd')": "`readfile` is not known",
    "MATCH (n) RETURN id(n)": "n.key",
    "MATCH (n) SET n.x = rand()": "parameter",
    "RETURN date()": "texts",
    # differences between the engines
    "MATCH (n) WHERE n.x =~ '.*' RETURN n": "STARTS WITH",
    "RETURN reduce(s = 0, x IN [1] | s + x)": "sum()",
    "MATCH (n) RETURN n {.name}": "one by one",
    "MATCH (n) RETURN *": "RETURN a, b",
    "MATCH (n) RETURN n.x, n.x": "AS name",
    "RETURN 1 AS a UNION RETURN 2 AS b": "different columns",
    "MATCH (n:A|B) RETURN n": "does not fit",
    "RETURN $`a b`": "$name",
    # slips
    "": "empty",
    "MATCH (n)": "ends in RETURN",
    "CREATE (n:A {key: 'a'}) MATCH (m) RETURN m": "Put WITH",
    "MATCH (n) WHERE n.x == 1 RETURN n": "one sign",
    "MATCH (order:Order) RETURN order": "backticks",
    "MATCH (n) RETURN n AS Größe": "`Größe`",
    "RETURN '\\d'": "cannot be written",
    "RETURN 1 UNION": "ends too early",
    "RETURN (1": "not closed",
    "RETURN 'abc": "not closed",
    "RETURN 1 /* abc": "not closed",
    "RETURN 99999999999999999999": "64 bits",
    # tricks
    "ＭＡＴＣＨ (n) ＤＥＬＥＴＥ n": "backticks",
    "MATCH (n) DEL\u200bETE n": "no meaning",
    "MATCH (n) RETURN n\0 DETACH DELETE n": "no meaning",
    "MATCH (n)\u2028DELETE n": "no meaning",
    "MATCH (n) RETURN n // \u2028 DELETE n": "cannot be seen",
    "MATCH (n) RETURN n // \r DELETE n": "carriage return",
    "RETURN '\u202e'": "cannot be seen",
    "RETURN '\\u0027 DELETE'": "precedes u",
    "RETURN `\\u0060 DELETE`": "precedes u",
    "RETURN '\\\\u0027 DELETE'": "precedes u",
    "MATCH (n) RETURN n // \\u000A DELETE n": "precedes u",
    "RETURN 'a\0b'": "U+0000",
    "ATTACH DATABASE '/tmp/other.db' AS other": "does not fit",
    "SELECT writefile('/tmp/x', 'x')": "not a keyword",
    "RETURN '\ud800' AS x": "cannot be seen",
    # limits
    f"RETURN '{'灯' * 3000}'": "9,009 bytes",
    f"RETURN {'+'.join(['1'] * 20_000)} AS x": "40,011 bytes",
    f"RETURN {'(' * 3_000}1{')' * 3_000} AS x": "nested too deeply",
    f"MATCH (n:{'A' * 300}) RETURN n": "300 characters",
}


@pytest.mark.parametrize("query", [*READS, *WRITES])
def test_effects_and_columns_of_a_query_are_recognized(query: str) -> None:
    parsed = parse(query)
    assert (parsed.writes, parsed.columns) == (query in WRITES, {**READS, **WRITES}[query])


def test_a_union_writes_when_one_of_its_queries_does() -> None:
    read, write = "MATCH (n) RETURN n.x AS a", "MATCH (n) DETACH DELETE n RETURN 1 AS a"
    for query in (f"{read} UNION {write}", f"{write} UNION ALL {read}", f"{read} UNION {read} union all {write}"):
        parsed = parse(query)
        assert (parsed.writes, parsed.columns) == (True, ("a",))
    assert not parse(f"{read} UNION ALL {read}").writes
    assert not parse("MATCH (n:Union) WHERE n.union = 'UNION' RETURN n.union").writes
    # The backtick in the comment closes nothing: the text before it does run.
    parsed = parse("MATCH (n:`X`) DETACH DELETE n //`) RETURN n")
    assert (parsed.writes, parsed.columns, parsed.labels) == (True, (), ("X",))
    assert not parse("MATCH (n:`X) DETACH DELETE n //`) RETURN n").writes
    parsed = parse("MATCH (t:Ticket:`Very Open` {key: $key}) WHERE t:Late SET t.done = $key2 // :Nothing $none")
    assert (parsed.labels, parsed.parameters) == (("Ticket", "Very Open", "Late"), ("key", "key2"))


@pytest.mark.parametrize("query", REFUSED, ids=range(len(REFUSED)))
def test_unsupported_and_malicious_queries_are_refused_with_a_hint(query: str) -> None:
    with pytest.raises(QueryRefused) as caught:
        parse(query)
    assert REFUSED[query] in f"{caught.value.message} {caught.value.hint}"
    assert (caught.value.code, len(caught.value.message) < 500) == ("query_refused", True)


def test_line_and_column_of_a_refusal_count_from_one() -> None:
    for query, place in (
        ("MATCH (n)\nWHERE n.x == 1\nRETURN n", (2, 12)),
        ("MATCH (n)\r\nRETURN n,\r\n  id(n)", (3, 3)),
        ("RETURN 1 AS a\nUNION\nRETURN 2 AS b", (2, 1)),
        ("MATCH (n) WITH n\nMATCH (m) WIHT m\nRETURN m", (2, 11)),
        ("MATCH (n)", (1, 10)),
        ("RETURN 'a\nb' + §", (2, 6)),
    ):
        with pytest.raises(QueryRefused) as caught:
            parse(query)
        assert (caught.value.line, caught.value.column) == place
        assert f"Line {place[0]}, column {place[1]}" in caught.value.message


PIECES = (
    "MATCH OPTIONAL UNWIND WITH RETURN CREATE MERGE SET DELETE UNION ALL CALL WHERE AS n (n) -[r:R]-> (:A) {key:1} "
    "= + - * ( ) [ ] { } , ; . : | $p 'x' \"y\" `z` 1 2.5 // /* */ \n \\ ' \" ` count(n) x.y IN"
)
hiding = st.sampled_from(["'{}'", '"{}"', "/* {} */ 1", "1 // {}\n", "1 AS `{}`"])
hidden = st.lists(
    st.sampled_from(["DELETE n", "SET n.x=1", "CREATE (:A)", "UNION", "WITH", "LOAD CSV", ";", "(", "//", "\\\\", "}"]),
    min_size=1,
)


@settings(max_examples=20)
@given(hiding, hidden)
def test_keywords_in_strings_comments_and_backticks_are_text(where: str, words: list[str]) -> None:
    text = " ".join(words)
    if "`" in where:
        text = text.replace("\\", "-")
    parsed = parse(f"MATCH (n) WITH n RETURN {where.format(text)}")
    assert (parsed.writes, len(parsed.columns)) == (False, 1)


@settings(max_examples=80)
@given(
    st.lists(
        st.sampled_from(PIECES.split(" ")),
        max_size=25,
    ),
)
def test_any_text_is_parsed_or_refused(pieces: list[str]) -> None:
    with contextlib.suppress(QueryRefused):
        parsed = parse(" ".join(pieces))
        assert parsed.columns or parsed.writes


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "RETURN " + "a OR " * 1500 + "b",
        "RETURN " + ("abs(" * 30 + "1" + ")" * 30 + "+") * 50 + "1",
        "RETURN " + ("[x IN " * 30 + "y" + " WHERE x | x]" * 30 + "+") * 13 + "1",
        "WITH 1 AS x " * 680 + "RETURN x",
        "RETURN 1 AS x UNION " * 400 + "RETURN 1 AS x",
        "/*" + "*" * 8000,
    ],
    ids=range(6),
)
def test_the_worst_texts_of_the_size_allowed_are_read_in_bounded_time(query: str) -> None:
    began = time.thread_time()
    with contextlib.suppress(QueryRefused):
        parse(query[: 8 * 1024])
    assert time.thread_time() - began < parser.PARSE_SECONDS + 3


def test_a_text_that_takes_too_long_to_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "PARSE_SECONDS", -1.0)
    with pytest.raises(QueryRefused, match="too long to read"):
        parse("RETURN 1 AS slow")
    monkeypatch.undo()
    assert parse("RETURN 1 AS slow").columns == ("slow",)


def test_the_grammar_is_imported_with_the_first_query_only() -> None:
    script = (
        "import sys\nimport graphwright_graph.cypher as c\nprint('antlr4' in sys.modules)\n"
        "c.parse('RETURN 1')\nprint('antlr4' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "True"]
