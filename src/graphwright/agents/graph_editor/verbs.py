"""Verbs that mean edges of common types: "works on" for ASSIGNED_TO, in other languages "leitet" for LEADS."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphwright.agents.graph_editor.words import listed, plain, same_stem
from graphwright.graphstore.elements import TypeSchema

_MEANING = {
    (word, stem)
    for stem, words in (
        (
            "assigned",
            """
            working, works, work, worked, handles, handling, responsible, tackles, tackling, bearbeitet, bearbeiten,
            arbeitet, zuständig, travaille, trabaja, 担当者, 担当
            """,
        ),
        ("works", "working, works, arbeitet, arbeiten, travaille, trabaja"),
        ("leads", "heads, manages, runs, leitet, leiten, führt, anführt, dirige, lidera, mène"),
        ("manages", "heads, leads, runs, leitet, führt, dirige, gère, gestiona"),
        ("affects", "concerns, hits, betrifft, betreffen, affecte, concerne, afecta"),
        ("supplies", "delivers, provides, liefert, liefern, beliefert, fournit, fournissent, suministra, provee"),
        ("provides", "delivers, supplies, liefert, fournit, suministra"),
        ("blocks", "blockiert, blockieren, bloque, bloquent, bloquea"),
        ("belongs", "gehört, gehören, appartient, pertenece"),
        ("contains", "includes, enthält, enthalten, contient, contiene"),
        ("reports", "meldet, gemeldet, meldete, signale, signalé, reporta, reportó"),
        ("treats", "behandelt, behandeln, traite, soigne, trata"),
        ("takes", "nimmt, nehmen, prend, toma"),
        ("stored", "lagert, gelagert, stocke, stocké, almacenado"),
        ("knows", "kennt, kennen, connaît, conoce"),
        ("depends", "hängt, dépend, depende"),
        ("owns", "besitzt, gehört, possède, posee"),
        ("teaches", "unterrichtet, lehrt, enseigne, enseña"),
        ("writes", "wrote, written, schrieb, schreibt, écrit, escribió"),
        ("wrote", "written, schrieb, schreibt, écrit, escribió"),
        ("lives", "wohnt, habite, vive"),
        ("uses", "nutzt, verwendet, benutzt, utilise, usa, utiliza"),
    )
    for word in listed(words)
}
"""The verbs and the first words of the types that they may mean."""


def says_type(kind: str, word: str) -> bool:
    """Whether a verb means edges of a type though it is no form of its name."""
    first = kind.casefold().split("_")[0]
    return any(spoken == plain(word) and same_stem(stem, first) for spoken, stem in _MEANING)


def first_of(kinds: Sequence[TypeSchema], behind: str) -> list[TypeSchema]:
    """Those of some types that one verb may mean whose next word stands behind it, too: "ships from"; else all."""
    word = re.match(r"\s*(\w+)", plain(behind))
    nearest = [kind for kind in kinds if word is not None and kind.type.casefold().split("_")[1:2] == [word.group(1)]]
    return nearest or list(kinds)
