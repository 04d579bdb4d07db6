"""Where each parameter of an order comes from: the user's words, a default, what was shown, or none of these."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks import Checked, default_values
from graphwright.proposals import MARKED, Quotations, Sources, Support, leaves, occurs, supports

_PARTS = ("conditions", "decision_points")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


def parameter_supports(checked: Checked, state: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Support]:
    """The support of each parameter by its path in what is approved. `words` are the user's words for each parameter.

    What an experiment has already is supported by that; its id only by its name or by words for it.
    """
    history, facts, params = state["conversation_history"], checked.facts or {}, checked.params
    said = (*state["said"], *(each["content"] for each in history if each["role"] == "user"))
    shown = tuple(each["content"] for each in history if each["role"] != "user")
    names = {each["id"]: (each["name"],) for each in checked.server.experiments}
    there = frozenset(value for _, value in leaves(facts) if isinstance(value, str)) - names.keys()
    sources = Sources(said, shown, there, names)
    quotations = Quotations(words=words, rivals=_rivals(checked, names), before=_before(params, facts, words))
    found = supports(params, sources, None, quotations)
    # The same value may be a default: the paths that the user's words support are left out of that.
    given = [path for path, support in found.items() if support in ("said", "quoted", "contradicted")]
    found = supports(params, sources, default_values(checked, given), quotations)
    # A value that was marked in the last confirmation was shown there, and stays marked.
    marked = state["supports"]
    before = [v for path, v in leaves(state["action_params"]) if marked.get(f"action_params.{path}") in MARKED]
    found |= {path: "unsupported" for path, v in leaves(params) if found[path] == "shown" and v in before}
    for name in _PARTS:
        kept = [place for place, each in enumerate(params.get(name, ())) if each in facts.get(name, ())]
        found |= {f"{name}.{place}.{part}": "exists" for place in kept for part, _ in leaves(params[name][place])}
    swapped = _swapped(params.get("conditions", ()), words, said)
    found |= {f"conditions.{place}.weight": "contradicted" for place in range(swapped)}
    return {f"action_params.{path}": support for path, support in found.items()}


def _rivals(checked: Checked, names: Mapping[str, Sequence[str]]) -> dict[str, Collection[str]]:
    """By path, what else could stand there: other experiments, contexts, codes, sites and targets."""
    params, facts, server = checked.params, checked.facts or {}, checked.server
    known = server.contexts.get(str(params.get("context") or facts.get("context", "")), {})
    own = [str(each["code"]) for each in params.get("conditions") or facts.get("conditions", ())]
    points = params.get("decision_points") or facts.get("decision_points", ())
    rivals: dict[str, Collection[str]] = {
        "experiment_id": [text for id, (name,) in names.items() for text in (id, name)],
        "context": list(server.contexts),
        "revert_to": own,
        "group": known.get("group_types", ()),
    }
    rivals["assigned_condition.experiment_id"] = rivals["experiment_id"]
    rivals["assigned_condition.condition_code"] = own
    used = {*own, *(str(each[part]) for each in points for part in ("site", "target"))}
    others = {
        "code": [each for each in known.get("conditions", ()) if each not in used],
        "site": [each for each in known.get("sites", ()) if each not in used],
        "target": [each for each in known.get("targets", ()) if each not in used],
        "type": known.get("group_types", ()),
    }
    for path, _ in leaves(params):
        if (part := path.rpartition(".")[2]) in others and path not in rivals:
            rivals[path] = others[part]
    return rivals


def _before(params: Mapping[str, Any], facts: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """By path, what is replaced. For the weight that the others leave, that is the weight itself."""
    before = dict(leaves(facts))
    now = {each["code"]: each["weight"] for each in facts.get("conditions", ())}
    quoted = " ".join(words.values())
    named = [_number(each) for each in _NUMBER.findall(quoted)]
    conditions = params.get("conditions", ())
    unnamed = [each["weight"] for each in conditions if each["weight"] not in named]
    for place, each in enumerate(conditions):
        rest = unnamed == [each["weight"]]
        before[f"conditions.{place}.weight"] = each["weight"] if rest else now.get(each["code"])
    return before


def _swapped(conditions: Sequence[Mapping[str, Any]], words: Mapping[str, str], said: Sequence[str]) -> int:
    """How many conditions have each other's weights: the user's words name all codes and weights, in another order."""
    weights = [each["weight"] for each in conditions]
    for text in words.values():
        places = [text.casefold().find(str(each["code"]).casefold()) for each in conditions]
        numbers = [_number(each) for each in _NUMBER.findall(text)]
        if len(conditions) > 1 and -1 not in places and sorted(numbers) == sorted(weights) and occurs(text, said):
            in_order = [weight for _, weight in sorted(zip(places, weights, strict=True))]
            return 0 if in_order == numbers else len(conditions)
    return 0


def _number(text: str) -> float:
    return float(text.replace(",", "."))
