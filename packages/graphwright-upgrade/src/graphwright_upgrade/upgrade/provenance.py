"""The support of each parameter of an order: the user's words, a default, a text that was shown, or nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from graphwright.proposals import (
    MARKED,
    Quotations,
    Sources,
    Support,
    leaves,
    occurs,
    passage_of,
    quoted_support,
    support_of,
    supports,
    with_percentages,
)
from graphwright.text.folding import words_of
from graphwright_upgrade.upgrade.checks import Checked, default_values
from graphwright_upgrade.upgrade.server import SIDES, Facts, at
from graphwright_upgrade.upgrade.state import State

_PARTS = ("conditions", "decision_points")
_EXPERIMENT = ("experiment_id", "assigned_condition.experiment_id")
_KINDS = {"site": "sites", "target": "targets"}
_SPELLING = re.compile(r"[^\s,;+/()\"']+")
_NEAR_SPELLING, _SHORT = 80.0, 3
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_ROUNDED = 0.5  # what rounding to a whole number changes a weight by, at most
_PARTS_BELOW = 10  # numbers of all conditions below this are parts, because as percentages they would not add up to 100


def parameter_supports(
    checked: Checked, state: State, words: Mapping[str, str], models: Sequence[Facts] = ()
) -> dict[str, Support]:
    """The support of each parameter by its path in what is approved. `words` are the user's words for each parameter.

    Values that the experiment has already are supported; its id needs its name or other words for it. So are values of
    `models`, the other experiments that the user names.
    """
    history, facts, params = state["conversation_history"], checked.facts or {}, checked.params
    said = (*state["said"], *(each["content"] for each in history if each["role"] == "user"))
    words = {path: passage_of(text, said) or text for path, text in words.items()}
    shown = tuple(each["content"] for each in history if each["role"] != "user")
    names = {each["id"]: (each["name"],) for each in checked.server.experiments}
    whole = Quotations(words=dict(words))
    # A number in the name of an experiment is not a weight.
    numbered = [*filter(_NUMBER.search, [*(name for (name,) in names.values()), str(params.get("name", ""))])]
    words |= {path: without_names(numbered, text) for path, text in words.items() if path.startswith("conditions")}
    said = (*said, *(without_names(numbered, text) for text in said))
    there = frozenset(value for _, value in leaves(facts) if isinstance(value, str)) - names.keys()
    rivals = _rivals(checked, names, models)
    written = {str(value) for path, value in leaves(params) if _kind(path) in ("code", "site", "target", "context")}
    names |= {value: (_spaced(value),) for value in written if "-" in value}
    sources = Sources(said, shown, there, names)
    quotations = Quotations(words=words, rivals=rivals, before=_before(params, facts, words))
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
    weights = {path for path in found if re.fullmatch(r"conditions\.\d+\.weight", path)}
    if any(found[path] in ("said", "quoted") for path in weights):
        # With some weights given by the user, the others are the rest to 100.
        found |= {path: "quoted" for path in weights if found[path] == "default"}
    if found.get("group") in ("said", "quoted") and found.get("unit") == "default":
        # The type of the groups says that groups are assigned.
        found["unit"] = "quoted"
    if params.get("unit") == "group" and found.get("unit") in ("said", "quoted") and found.get("group") == "default":
        found["group"] = "exists"
    if found.get("context") == "unsupported" and _only_context(params, checked):
        found["context"] = "exists"
    if checked.action == "mark_decision_point" and params["assigned_condition"].get("experiment_id"):
        found |= _at_the_point(params, facts, found)
    if _swapped(params.get("conditions", ()), [*words.values()] or state["said"], said):
        found |= dict.fromkeys(weights, "contradicted")
    bare = Sources(said, shown, frozenset(), names)
    # A value that the last confirmation showed without a mark stays unmarked when another one is corrected.
    stays = {
        (path.split(".")[0], str(value))
        for path, value in leaves(state["action_params"])
        if marked.get(f"action_params.{path}", "unsupported") not in MARKED
    }
    for path, value in leaves(params):
        if (path.split(".")[0], str(value)) in stays and isinstance(value, str):
            found[path] = "shown" if found[path] in MARKED else found[path]
        elif (
            found[path] == "quoted"
            and isinstance(value, str)
            and _is_user_or_group(path)
            and support_of(value, bare) == "unsupported"
        ):
            found[path] = "unsupported"
        elif quotations.words_for(path) and quoted_support(path, value, bare, quotations) == "contradicted":
            # An existing value needs support, too, if the user's words name another one.
            found[path] = "contradicted"
    spelled = misspelled(params, quotations.words, said, experiment_names(checked))
    found |= dict.fromkeys(spelled, "quoted")
    elsewhere = [*_left_out(params, words, said), *_elsewhere(params, quotations, bare, found)]
    elsewhere = [path for path in elsewhere if path not in spelled and not _is_there(path, params, facts)]
    elsewhere = [path for path in elsewhere if found[path] in ("said", "quoted")]
    defaults = default_values(checked, [path for path in given if path not in elsewhere]) if elsewhere else {}
    values = dict(leaves(params))
    found |= {path: "default" if defaults.get(path) == values[path] else "unsupported" for path in elsewhere}
    if misnamed(checked, words, state["said"]):
        # The confirmation says what the user wrote in place of the name.
        found |= {path: "quoted" for path in _EXPERIMENT if found.get(path) == "unsupported"}
    found |= dict.fromkeys(_stated_before(params, quotations.words, state["said"]), "said")
    copied = {(_list_and_kind(path), value) for each in models for path, value in leaves(each)}
    # A copied value that an earlier confirmation showed is still copied.
    open_ = ("unsupported", "default", "shown")
    found |= {p: "exists" for p, v in leaves(params) if found[p] in open_ and (_list_and_kind(p), v) in copied}
    own = [str(each) for each in (params.get("name"), params.get("new_name"), facts.get("name")) if each]
    for path, value in leaves(params):
        of_others = path in weights and found[path] == "quoted" and (_list_and_kind(path), value) not in copied
        quote = Sources(said=(without_names(own, whole.words_for(path)),))
        if of_others and any(support_of(each["name"], quote) == "said" for each in models):
            found[path] = "contradicted"
    if _are_shares(params.get("conditions", ()), words, state["said"]):
        found |= {path: "quoted" for path in weights if found[path] in MARKED}
    return {f"action_params.{path}": support for path, support in found.items()}


def experiment_names(checked: Checked) -> list[str]:
    """The names of the experiments of the server, and the name that the order gives one."""
    new = (checked.params.get(name) for name in ("name", "new_name"))
    return [*(each["name"] for each in checked.server.experiments), *(str(each) for each in new if each)]


def without_names(names: Sequence[str], text: str) -> str:
    """A text without these names, the longest first."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text, flags=re.IGNORECASE)
    return text


def _spaced(text: str) -> str:
    """A text in which hyphens are spaces: `read aloud` for `read-aloud`."""
    return text.replace("-", " ")


def _kind(path: str) -> str:
    """The kind of a value, such as `weight` or `users`: the last name in its path."""
    return next(part for part in reversed(path.split(".")) if not part.isdecimal())


def _list_and_kind(path: str) -> tuple[str, str]:
    """The inclusion or exclusion list that a value is on, empty for other values, and its kind."""
    return next((part for part in path.split(".") if part in SIDES), ""), _kind(path)


def _at_the_point(params: Mapping[str, Any], facts: Facts, found: Mapping[str, Support]) -> dict[str, Support]:
    """The experiment of a visit follows from the decision point, where nothing else names it."""
    path, points = "assigned_condition.experiment_id", [at(each) for each in facts.get("decision_points", ())]
    return {path: "exists"} if found.get(path) == "unsupported" and at(params) in points else {}


def _rivals(
    checked: Checked, names: Mapping[str, Sequence[str]], models: Sequence[Facts]
) -> dict[str, Collection[str]]:
    """Return the other possible values by path: other experiments, contexts, codes, sites and targets.

    Of the names in the experiment itself or in one of `models`, none is a rival of another: where the words name one
    that is left out ("hint instead of variant"), it may be the one that is replaced.
    """
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
    there = {(_kind(path), value) for each in (facts, *models) for path, value in leaves(_parts_of(each))}
    for path, value in leaves(params):
        if (part := path.rpartition(".")[2]) in others and path not in rivals:
            replaced = [each for each in others[part] if (part, each) in there] if (part, value) in there else []
            rivals[path] = [each for each in others[part] if each not in replaced]
    return rivals


def _parts_of(design: Mapping[str, Any]) -> dict[str, Any]:
    """The conditions and decision points of a design."""
    return {name: design.get(name, ()) for name in _PARTS}


def _before(params: Mapping[str, Any], facts: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """Return the replaced values by path. For a weight that is the rest to 100 this is the weight itself."""
    before = dict(leaves(facts))
    now = {each["code"]: each["weight"] for each in facts.get("conditions", ())}
    quoted = " ".join(words.values())
    named = _weights_in(quoted)
    conditions = params.get("conditions", ())
    unnamed = [each["weight"] for each in conditions if not any(_is_rounded(each["weight"], one) for one in named)]
    for place, each in enumerate(conditions):
        rest = {*unnamed} == {each["weight"]}
        before[f"conditions.{place}.weight"] = each["weight"] if rest else now.get(each["code"])
    return before


def _swapped(conditions: Sequence[Mapping[str, Any]], texts: Sequence[str], said: Sequence[str]) -> bool:
    """Whether conditions have each other's weights: texts name all codes and weights, and none in this order.

    A text with a ratio of these weights does not say which condition has which weight.
    """
    weights, in_order = [each["weight"] for each in conditions], list[bool]()
    weight_of = {_spaced(str(each["code"])).casefold(): each["weight"] for each in conditions}
    for text in texts:
        if _has_ratio(text, conditions) and occurs(text, said):
            return False
        codes = [each for each in _codes_and_numbers(text, conditions) if each in weight_of]
        named = _weights_in(text)
        if len(conditions) > 1 and {*codes} == {*weight_of} and _are_rounded(sorted(weights), sorted(named)):
            in_order += [_are_rounded([weight_of[code] for code in dict.fromkeys(codes)], named)] * occurs(text, said)
    return bool(in_order) and not any(in_order)


def _are_shares(conditions: Sequence[Mapping[str, Any]], words: Mapping[str, str], said: Sequence[str]) -> bool:
    """Whether the weights are the shares of a ratio in the user's words for the conditions; in `said` without any."""
    quoted = [text for path, text in words.items() if path.startswith("conditions") and occurs(text, said)]
    return any(_has_ratio(text, conditions) for text in ([*quoted, ", ".join(quoted)] if quoted else said))


def _has_ratio(text: str, conditions: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a text has a ratio whose shares are the weights of the conditions.

    Code cannot read which condition a ratio favours ("2 to 1 in favour of hint"): the shares count in any order if no
    code is between the numbers. Otherwise ("2 parts control, 1 part hint") the codes give the order.
    """
    weights = [each["weight"] for each in conditions]
    if not weights[1:]:
        return False
    tokens, size = _codes_and_numbers(text, conditions), len(weights)
    for begin in range(len(tokens) - size + 1):
        run = tokens[begin : begin + size]
        if all(map(_NUMBER.fullmatch, run)) and _are_rounded(sorted(weights), sorted(_shares(run))):
            return True
    numbers = list(filter(_NUMBER.fullmatch, tokens))
    codes = [_spaced(str(each["code"])).casefold() for each in conditions]
    if len(numbers) != size or not {*codes} <= {*tokens} or max(map(_number, numbers)) >= _PARTS_BELOW:
        return False
    in_order = sorted(zip(map(tokens.index, codes), weights, strict=True))
    return _are_rounded([weight for _, weight in in_order], _shares(numbers))


def _shares(numbers: Sequence[str]) -> list[float]:
    """Numbers as percentages of their sum."""
    parts = list(map(_number, numbers))
    return [100 * each / (sum(parts) or 1) for each in parts]


def _left_out(params: Mapping[str, Any], words: Mapping[str, str], said: Sequence[str]) -> Iterator[str]:
    """Names of entries that the quotation for their list does not hold, although it holds those of other entries."""
    for name in _PARTS:
        text = words.get(name, "")
        for part in ("code", "site", "target") if occurs(text, said) else ():
            values = {place: str(each[part]) for place, each in enumerate(params.get(name, ())) if part in each}
            named = {place for place, value in values.items() if occurs(_spaced(value), [_spaced(text)])}
            if named:
                yield from (f"{name}.{place}.{part}" for place in values.keys() - named)


def _stated_before(params: Mapping[str, Any], words: Mapping[str, str], said: Sequence[str]) -> Iterator[str]:
    """The parts of entries that an earlier message gives, if the quotation corrects other entries of the list."""
    for name in _PARTS:
        text, entries = words.get(name, ""), params.get(name, ())
        earlier = [each for each in said if not occurs(text, [each])]
        for place, entry in enumerate(entries) if occurs(text, said) else ():
            if not _names(text, entry) and (last := next((e for e in reversed(earlier) if _names(e, entry)), "")):
                yield from (f"{name}.{place}.{part}" for part in ("code", "site", "target") if part in entry)
                if "weight" in entry and _weight_in(last, entry, entries):
                    yield f"{name}.{place}.weight"


def _names(text: str, entry: Mapping[str, Any]) -> bool:
    """Whether a text has the code of a condition, or the site and target of a decision point."""
    names = [entry[part] for part in ("code", "site", "target") if part in entry]
    return all(support_of(_spaced(each), Sources(said=(_spaced(text),))) == "said" for each in names)


def _weight_in(text: str, entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a text contains the weight of a condition next to its code, with no code or number between."""
    found = _codes_and_numbers(text, entries)
    code, weight = _spaced(str(entry["code"])).casefold(), entry["weight"]
    pairs = [*pairwise(found), *pairwise(reversed(found))]
    return any(one == code and _NUMBER.fullmatch(other) and _is_rounded(weight, _number(other)) for one, other in pairs)


def _codes_and_numbers(text: str, conditions: Sequence[Mapping[str, Any]]) -> list[str]:
    """The codes of conditions, with spaces for hyphens, and the numbers in a text, in their order.

    Fractions and ratios in digits are percentages.
    """
    codes = sorted((re.escape(_spaced(str(each["code"]))) for each in conditions), key=len, reverse=True)
    pattern = rf"(?<!\w)(?:{'|'.join(codes)})(?!\w)|{_NUMBER.pattern}"
    return [each.group().casefold() for each in re.finditer(pattern, _spaced(with_percentages(text)), re.IGNORECASE)]


def _is_there(path: str, params: Mapping[str, Any], facts: Facts) -> bool:
    """Whether a part of a condition or decision point is one that the experiment has already."""
    name, place, part = (*path.split("."), "", "")[:3]
    there = [each[part] for each in facts.get(name, ()) if part in each] if name in _PARTS else []
    return bool(there) and params[name][int(place)].get(part) in there


def _only_context(params: Mapping[str, Any], checked: Checked) -> bool:
    """Whether the context is the only one that knows the sites and targets of the order."""
    points = params.get("decision_points") or [params]
    named = [(kind, each[part]) for each in points for part, kind in _KINDS.items() if each.get(part)]
    knowing = [
        name for name, known in checked.server.contexts.items() if all(value in known[kind] for kind, value in named)
    ]
    return bool(named) and knowing == [params["context"]]


def misspelled(
    params: Mapping[str, Any], words: Mapping[str, str], said: Sequence[str], experiments: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """The names that the user spelled otherwise, by path: the user's spelling and the name.

    Words of the names of `experiments` are no spelling of another name.
    """
    from rapidfuzz import fuzz

    found = dict[str, tuple[str, str]]()
    kinds = ("code", "site", "target", "context")
    names = {path: value for path, value in leaves(params) if path.rpartition(".")[2] in kinds}
    texts = [text for text in words.values() if occurs(text, said)]
    for path, value in names.items():
        # Other characters between the words, such as a space for a hyphen, are not a typo.
        words_alone = " ".join(words_of(value))
        if any(occurs(value, [text]) or occurs(words_alone, [" ".join(words_of(text))]) for text in texts):
            continue
        own = [words[path]] if words.get(path) in texts else texts
        own = [without_names(experiments, text) for text in own]
        spellings = [each for text in own for each in _SPELLING.findall(text) if each not in names.values()]
        near = max(spellings, key=lambda each: fuzz.ratio(each.casefold(), value.casefold()), default="")
        if near and fuzz.ratio(near.casefold(), value.casefold()) >= _NEAR_SPELLING and len(near) > _SHORT:
            found[path] = near, value
    return found


def corrected(written: str, name: str, said: Sequence[str]) -> bool:
    """Whether the user wrote a name as it is in a later message than the last one with another spelling of it."""
    texts = [" ".join(words_of(text)) for text in said]

    def last(spelling: str) -> int:
        alone = " ".join(words_of(spelling))
        places = [place for place, text in enumerate(texts) if support_of(alone, Sources(said=(text,))) == "said"]
        return max(places, default=-1)

    return last(name) > last(written)


def misnamed(checked: Checked, words: Mapping[str, str], said: Sequence[str]) -> tuple[str, str] | None:
    """The user's words for the experiment, and its name, if the two are only similar."""
    from rapidfuzz import fuzz

    facts = checked.facts or {}
    name, id = str(facts.get("name", "")), str(facts.get("experiment_id", ""))
    if not name or any(support_of(each, Sources(said=tuple(said))) == "said" for each in (name, id)):
        return None
    quotation = Quotations(words=words).words_for("assigned_condition.experiment_id")
    texts = [quotation] if occurs(quotation, said) else said
    others = {str(value).casefold() for _, value in leaves([checked.params, facts])}
    size, written = len(_SPELLING.findall(name)), list[str]()
    for parts in map(_SPELLING.findall, texts):
        spans = ((begin, begin + long) for long in (size - 1, size, size + 1) for begin in range(len(parts)) if long)
        written += [text for begin, end in spans if (text := " ".join(parts[begin:end])).casefold() not in others]
    near = max(written, key=lambda each: fuzz.ratio(each.casefold(), name.casefold()), default="")
    similar = fuzz.ratio(near.casefold(), name.casefold()) >= _NEAR_SPELLING and len(near) > _SHORT
    return (near, name) if similar and not checked.server.ids_of(near) else None


def _is_user_or_group(path: str) -> bool:
    """Whether the value is the id of a user or of a group: no other words mean such an id."""
    parts = path.split(".")
    if parts[-1] == "type":
        return False
    return parts[0] in ("user_id", "working_group", *SIDES) or (parts[0] == "group" and len(parts) > 1)


def _elsewhere(
    params: Mapping[str, Any], quotations: Quotations, sources: Sources, found: Mapping[str, Support]
) -> Iterator[str]:
    """Values of the only parameter without a quotation that occur nowhere but in the quotations for the others.

    A part of it may have a quotation of its own, such as `conditions.0`.
    """
    # If the working groups are not given, they follow from the groups.
    derived = {path for path in found if path.startswith("working_group.")}
    given = [path for path, support in found.items() if support not in ("default", "exists") and path not in derived]
    bare = {path.split(".")[0] for path in given if not quotations.words_for(path)}
    if len(bare) != 1 or bare == {path.split(".")[0] for path in given}:
        return
    rest = list(sources.said)
    for text in quotations.words.values():
        rest = [re.sub(re.escape(text), " ", each, flags=re.IGNORECASE) for each in rest]
    for path, value in leaves({name: params[name] for name in bare}):
        quoted = bool(quotations.words_for(path))
        if not quoted and support_of(value, replace(sources, said=tuple(rest))) == "unsupported":
            yield path


def _weights_in(text: str) -> list[float]:
    """The numbers of a text in their order, fractions and ratios as percentages."""
    return [_number(each) for each in _NUMBER.findall(with_percentages(text))]


def _is_rounded(weight: float, number: float) -> bool:
    return abs(weight - number) <= _ROUNDED


def _are_rounded(weights: Sequence[float], numbers: Sequence[float]) -> bool:
    return len(weights) == len(numbers) and all(map(_is_rounded, weights, numbers))


def _number(text: str) -> float:
    return float(text.replace(",", "."))
