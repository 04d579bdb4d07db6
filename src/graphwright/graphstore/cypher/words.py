"""Words and signs of Cypher: the functions that are known, and what to write instead of what is not accepted."""

from __future__ import annotations

_AGGREGATES = "count sum avg min max collect stdev stdevp percentilecont percentiledisc"
AGGREGATES = frozenset(_AGGREGATES.split())
"""Functions that make one value of many rows."""

_FUNCTIONS = """
    coalesce head last length size type labels keys properties startnode endnode nodes relationships
    tointeger tofloat tostring toboolean tointegerornull tofloatornull tostringornull tobooleanornull
    range reverse tail isempty
    abs ceil floor round sign sqrt exp log log10 e pi sin cos tan asin acos atan atan2 degrees radians
    tolower toupper trim ltrim rtrim replace split substring left right
    shortestpath allshortestpaths
"""
FUNCTIONS = frozenset(_FUNCTIONS.split()) | AGGREGATES
"""What may be called, in small letters. None of them depends on chance, on the time, or on anything but the graph."""

_NO_TIME = "Dates and times are texts here, such as '2026-11-30', which compare in their order; give today as $today."
_NO_CHANCE = "What was previewed must be what is done: give such a value as a parameter."

FUNCTION_HINTS = {
    "id": "Nodes are known by their key: n.key.",
    "elementid": "Nodes are known by their key: n.key.",
    "exists": "Write n.name IS NOT NULL, or EXISTS { MATCH (n)-[:X]->() }.",
    "reduce": "Use sum() or collect() over UNWIND.",
    "filter": "Write [x IN list WHERE ...].",
    "extract": "Write [x IN list | ...].",
    "lower": "It is called toLower().",
    "upper": "It is called toUpper().",
    "int": "It is called toInteger().",
    "float": "It is called toFloat().",
    "str": "It is called toString().",
    "len": "It is called size().",
    "concat": "Write a + b.",
    "contains": "Write a CONTAINS b.",
    "startswith": "Write a STARTS WITH b.",
    "endswith": "Write a ENDS WITH b.",
    "label": "Write labels(n)[0].",
    "rels": "It is called relationships().",
    **dict.fromkeys(("rand", "randomuuid", "timestamp"), _NO_CHANCE),
    **dict.fromkeys(("date", "datetime", "localdatetime", "time", "localtime", "duration", "now"), _NO_TIME),
    **dict.fromkeys(("point", "distance"), "Keep coordinates as two numbers."),
}
"""What to write instead of other functions."""

_CLAUSES = "MATCH OPTIONAL UNWIND WITH RETURN CREATE MERGE SET REMOVE DELETE DETACH UNION"
CLAUSES = frozenset(_CLAUSES.split())
"""The words that begin a clause."""

SIGN_HINTS = {
    "~": "There are no patterns of text: use STARTS WITH, ENDS WITH, CONTAINS or IN.",
    "!=": "Unequal is written <>.",
    "!": "Not is written NOT.",
    "&&": "Write AND.",
    "&": "Write AND; several labels are written n:A:B.",
    "#": "A comment begins with //.",
    "\\": "Only strings hold backslashes.",
    "?": "A parameter is written $name.",
    "@": "A parameter is written $name.",
    "“": "Strings stand in straight quotes.",
    "”": "Strings stand in straight quotes.",
    "‘": "Strings stand in straight quotes.",
    "’": "Strings stand in straight quotes.",
}
"""What to write instead of signs that Cypher does not have."""

_ONE_QUERY = "Give the query alone: one that reads, or one that writes."

WORD_HINTS = {
    "LOAD": ("files are not read by a query", "Bring them in with: graphwright graph import FILE."),
    "FOREACH": ("FOREACH is not accepted", "Write UNWIND list AS x, and the clause behind it."),
    "CALL": ("procedures and subqueries are not accepted", "Use MATCH, WITH and the functions of Cypher."),
    "EXPLAIN": ("EXPLAIN is not accepted", _ONE_QUERY),
    "PROFILE": ("PROFILE is not accepted", _ONE_QUERY),
    "USE": ("there is one graph", "Leave USE out."),
    "SHOW": ("SHOW is not accepted", "`graphwright graph show` shows labels, types and counts."),
    "DROP": ("indexes and constraints are kept by the store", "Leave that out."),
    "INDEX": ("indexes and constraints are kept by the store", "Leave that out."),
    "CONSTRAINT": ("indexes and constraints are kept by the store", "Leave that out."),
    "INSERT": ("INSERT is no word of Cypher", "Write CREATE or MERGE."),
    "UPDATE": ("UPDATE is no word of Cypher", "Write MATCH (n) SET n.name = value."),
    "SELECT": ("SELECT is no word of Cypher", "Write MATCH (n:Label) WHERE ... RETURN n."),
    "FROM": ("FROM is no word of Cypher", "Write MATCH (n:Label) WHERE ... RETURN n."),
    "GROUP": ("GROUP BY is no word of Cypher", "RETURN groups by itself: RETURN n.status, count(*)."),
    "HAVING": ("HAVING is no word of Cypher", "Write WITH n.status AS s, count(*) AS c WHERE c > 1 RETURN s, c."),
    "LIKE": ("LIKE is no word of Cypher", "Write STARTS WITH, ENDS WITH or CONTAINS."),
    "BETWEEN": ("BETWEEN is no word of Cypher", "Write 1 <= n.x <= 3."),
    "START": ("START is no clause any more", "Write MATCH."),
    "FINISH": ("FINISH is not accepted", "Leave it out."),
    "UNIQUE": ("CREATE UNIQUE is not accepted", "Write MERGE."),
    "EXISTS": ("this EXISTS does not fit", FUNCTION_HINTS["exists"]),
    "SHORTEST": ("SHORTEST is not accepted", "Write shortestPath((a)-[*]->(b))."),
}
"""What is said, and what to write instead, where one of these words stands at the place of an error."""
