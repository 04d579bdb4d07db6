"""Values of properties with few of them, as requests say them: in the graph's own words, or in other languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphwright.agents.graph_editor.evidence import Evidence
from graphwright.agents.graph_editor.places import Place, words_at
from graphwright.agents.graph_editor.words import STATES, listed, plain

MOST_VALUES = 50
"""Distinct values: a property with more of them is no choice between a few."""

MOST_WORDS = 4
"""Of a value that counts as one of a few: a longer one is a text."""

_CALLED = ("name", "title", "summary", "key")

_WORDS_FOR = {
    value: listed(words)
    for value, words in (
        (
            "open",
            "offen, offene, offener, offenen, offenes, ouvert, ouverte, ouverts, ouvertes, abierto, abierta, abiertos",
        ),
        (
            "closed",
            "geschlossen, geschlossene, geschlossenen, fermé, fermée, fermés, fermées, cerrado, cerrada, cerrados",
        ),
        ("in progress", "in bearbeitung, in arbeit, en cours, en curso, en progreso"),
        ("done", "erledigt, fertig, terminé, terminée, hecho, hecha, terminado, terminada"),
        ("high", "hoch, hohe, hoher, hohen, hohem, hohes, haut, haute, élevé, élevée, alto, alta, altos, altas"),
        ("medium", "mittel, mittlere, mittlerer, mittleren, moyen, moyenne, medio, media"),
        ("low", "niedrig, niedrige, niedriger, niedrigen, bas, basse, faible, bajo, baja, bajos, bajas"),
        ("active", "aktiv, aktive, aktiver, aktiven, actif, active, activo, activa"),
        ("inactive", "inaktiv, inaktive, inactif, inactive, inactivo, inactiva"),
        (
            "planned",
            "geplant, geplante, geplanten, prévu, prévue, planifié, planifiée, planeado, planificado, previsto",
        ),
        (
            "cancelled",
            "canceled, storniert, stornierte, stornierten, annulé, annulée, annulés, annulées, cancelado, cancelada",
        ),
        ("shipped", "versandt, versendet, verschickt, expédié, expédiée, enviado, enviada"),
        ("on hold", "pausiert, en pause, en attente, en espera"),
        ("stable", "stabil, stabile, stabilen, estable"),
        ("unstable", "instabil, instable, inestable"),
        ("critical", "kritisch, kritische, kritischem, critique, crítico, crítica"),
        ("discharged", "entlassen, sorti, sortie, dado de alta, dada de alta"),
    )
}
"""Words for states and degrees by the English ones, in German, French and Spanish."""


def words_for(value: str) -> tuple[str, ...]:
    """A value and the words of other languages that mean it."""
    return (value, *_WORDS_FOR.get(plain(value).replace("_", " ").replace("-", " "), ()))


def few_values(label: str, name: str, evidence: Evidence) -> list[str]:
    """The texts that a property of a label has, where they are a choice between a few; else none."""
    schema = evidence.label_schema(label)
    if schema is None or name in _CALLED or tuple(schema.properties.get(name, ())) != ("text",):
        return []
    stored = evidence.store.values(label, name, most=MOST_VALUES + 1)
    texts = [str(value) for value, _ in stored]
    return texts if len(texts) <= MOST_VALUES and all(len(text.split()) <= MOST_WORDS for text in texts) else []


def values_said(evidence: Evidence) -> Iterator[tuple[str, Any, Place]]:
    """The values of properties that the request says, with the name of the property and where.

    Of values inside of each other it is the longest. A state that the graph does not have yet counts for the property
    that has states.
    """
    found: list[tuple[str, str, Place]] = []
    names = {(one.label, name) for one in evidence.schema.labels for name in one.properties}
    for label, name in sorted(names):
        values = few_values(label, name, evidence)
        states = {plain(value) for value in values} & STATES_MADE
        further = sorted(STATES_MADE if states or name in ("status", "state") else ())
        for value in (*values, *(each for each in further if each not in {plain(v) for v in values})):
            found += [(name, value, place) for word in words_for(value) for place in words_at(word, evidence.text)]
    distinct = dict.fromkeys(found)
    for name, value, place in distinct:
        longer = any(o != place and o.start <= place.start and place.end <= o.end for n, _, o in distinct if n == name)
        if not longer and not _inside_of_other(place, evidence.text):
            yield name, value, place


STATES_MADE = frozenset(state for _, states in STATES for state in states)
"""The states that verbs put things into."""


def _inside_of_other(place: Place, text: str) -> bool:
    """Whether a word is only a part of one with hyphens: the open of "open-ended"."""
    return re.match(r"-\w", text[place.end : place.end + 2]) is not None
