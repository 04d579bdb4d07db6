"""What a person should look at twice in a proposal: what protected users or was tested until now, and is gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphwright.authoring._commands import Data, action_nodes, all_nodes
from graphwright.flow._source import read_plain
from graphwright.flow._text_edits import inline
from graphwright.flow.difference import Detail, Difference
from graphwright.text.sentences import one_line


def cautions(found: Difference | None, before: Data, after: Data) -> Iterator[str]:
    """Changes that weaken what protected users until now, as sentences. `found` is None if a flow does not compile."""
    yield from _weaker_confirmations(found, after)
    yield from _unconfirmed_effects(before, after)
    gone = [each for each in _assurances(before) if each not in _assurances(after)]
    if gone:
        yield f"Assurances of the flow are removed or changed: {'; '.join(map(_shown, gone))}."
    yield from _endless_tries(before, after)


def _weaker_confirmations(found: Difference | None, after: Data) -> Iterator[str]:
    """What a confirmation that an action had does not ask for any more. A stronger one is not told."""
    known = _names(after)
    for entry in found.of("node") if found else ():
        for each in entry.details:
            if each.relation not in ("stronger", "equal") and (what := _weaker(each, known)):
                yield f"The action `{entry.name}` {what}."


def _weaker(found: Detail, known: set[str]) -> str:
    """What is weaker about a part of a confirmation; empty if nothing is. `known` are the names that are there."""
    match found.field:
        case "confirm" if found.before is None:
            return ""
        case "confirm" if found.after is not None:
            return f"has the confirmation {_shown(found.after)}, until now {_shown(found.before)}"
        case "confirm":
            return f"needs no confirmation any more; until now a yes to `{found.before['by']}`"
        case "confirm.by":
            return f"needs a yes to `{found.after}`, until now to `{found.before}`"
        case "confirm.over":
            lost = [f"`{each}`" for each in found.before if each not in found.after and each in known]
            return f"runs after a yes that does not cover {', '.join(lost)} any more" if lost else ""
        case "confirm.when":
            until = f"if `{found.before}`" if found.before else "always"
            example = f", such as with {found.only_before}" if found.only_before else ""
            return f"needs a yes only if `{found.after}`, until now {until}: otherwise it runs without one{example}"
    return ""


def _unconfirmed_effects(before: Data, after: Data) -> Iterator[str]:
    """Nodes that newly do, without a confirmation, what until now was done only after one."""
    known = {node.get("id"): _effect(node) for node in action_nodes(before)}
    confirms: dict[Any, list[Any]] = {}
    for node in action_nodes(before):
        confirms.setdefault(_effect(node), []).append(node.get("confirm"))
    for node in action_nodes(after):
        name, effect, confirm = node.get("id"), _effect(node), node.get("confirm")
        until = confirms.get(effect)
        if effect is None or known.get(name) == effect or until is None or None in until:
            continue
        if confirm is None:
            yield f"The action `{name}` runs `{node['run']}` without a confirmation, which it needed until now."
        elif (when := _when(confirm)) and not any(map(_when, until)):
            yield f"The action `{name}` runs `{node['run']}`, until now only after a yes, with one only if `{when}`."


def _when(confirm: Any) -> Any:
    return confirm.get("when") if isinstance(confirm, dict) else None


def _effect(node: Data) -> tuple[str, ...] | None:
    """What an action node does, by which another node that does the same is recognised; None if it changes nothing."""
    run, given = str(node.get("run")), node.get("with")
    names = {"record": ("collection",), "hand_over": ("to",), "call_tool": ("server", "tool")}
    if not isinstance(given, dict) or run not in (*names, "http_request", "ask_model"):
        return (run,)
    if run == "ask_model" or given.get("read_only") is True:
        return None
    if run == "http_request":
        method = str(given.get("method", "GET")).upper()
        return None if method in ("GET", "HEAD") else (run, method, str(given.get("url")).partition("{{")[0])
    return (run, *(str(given.get(name)) for name in names[run]))


def _endless_tries(before: Data, after: Data) -> Iterator[str]:
    """Questions of a new flow, or with newly bounded tries, at which a conversation fails after too many replies."""
    if after.get("on_escalate"):
        return
    known = all_nodes(before)
    asked = [
        f"`{name}`"
        for name, node in all_nodes(after).items()
        if node.get("type") == "question" and node.get("read") != "confirm" and not node.get("on_invalid")
        if not known or ("max_invalid" in node and "max_invalid" not in known.get(name, {}))
    ]
    if asked:
        more = f" and {len(asked) - 3} more" if len(asked) > 3 else ""
        yield (
            f"The flow has no `on_escalate`: after too many wrong replies to {', '.join(asked[:3])}{more} "
            "the conversation fails, and nobody can ask for a person."
        )


def conversation_cautions(name: str, before: str, after: str, document: Data) -> Iterator[str]:
    """What a rewritten conversation does not check any more, or really does now, as sentences.

    `document` is the flow with which it runs.
    """
    if lost := lost_expectations(before, after):
        more = f"; and {len(lost) - 5} more" if len(lost) > 5 else ""
        yield f"The conversation {name} does not expect any more: {'; '.join(lost[:5])}{more}."
    there = {str(node.get(field)) for node in action_nodes(document) for field in ("id", "run")}
    if performed := sorted((_stubbed(before) - _stubbed(after)) & there):
        names = ", ".join(f"`{each}`" for each in performed)
        yield f"The conversation {name} performs what a stub replaced until now: {names}."


def lost_expectations(before: str, after: str) -> list[str]:
    """What a conversation file expected and its rewritten text does not, in the same turn or a later one."""
    former, present = _read(before), _read(after)
    new = _turns(present)
    lost: list[str] = []
    at = 0
    for turn in _turns(former):
        place = next((n for n in range(at, len(new)) if _message(new[n]) == _message(turn)), None)
        now = {} if place is None else dict(_expected(new[place]))
        later = [dict(_expected(each)) for each in new[at if place is None else place :]]
        at = at if place is None else place + 1
        for name, value in _expected(turn):
            if not any(_implied(name, value, each) for each in later):
                change = f", now {_shown(now[name])}" if name in now else ""
                lost.append(f"after {_message(turn)}: {name} {_shown(value)}{change}")
    end = former.get("end")
    if end not in (None, present.get("end")) and not (new and _implied("status", end, dict(_expected(new[-1])))):
        lost.append(f"at the end: status {_shown(end)}")
    if former.get("trace") and not present.get("trace"):
        lost.append("its golden trace")
    return lost


def _stubbed(text: str) -> set[str]:
    """The actions that a conversation file replaces."""
    stubs = _read(text).get("stubs")
    actions = stubs.get("actions") if isinstance(stubs, dict) else None
    return set(actions) if isinstance(actions, dict) else set()


def _read(text: str) -> Data:
    """The data of a conversation file; empty if it cannot be read."""
    source, _ = read_plain(text)
    return source.data if source is not None and isinstance(source.data, dict) else {}


def _turns(conversation: Data) -> list[Data]:
    turns = conversation.get("turns")
    return [each for each in turns if isinstance(each, dict)] if isinstance(turns, list) else []


def _message(turn: Data) -> str:
    said = turn.get("user", turn.get("resume"))
    return "the start" if said is None else f"“{said}”"


def _expected(turn: Data) -> Iterator[tuple[str, Any]]:
    """The single expectations of a turn, each with its name."""
    expect = turn.get("expect")
    for name, value in expect.items() if isinstance(expect, dict) else ():
        if name in ("answers", "values") and isinstance(value, dict):
            yield from ((f"{name}.{key}", each) for key, each in value.items())
        elif name in ("reply", "not_reply"):
            yield name, value if isinstance(value, list) else [value]
        else:
            yield name, value


def _implied(name: str, value: Any, now: Data) -> bool:
    """Whether the new expectations of a turn contain an earlier one, as far as they are about what users see."""
    if name == "status" and "node" in now:
        return True  # a terminal ends, a question waits
    if name == "reply":
        texts = " ".join(map(str, now.get(name, ()))).casefold()
        return all(str(each).casefold() in texts for each in value)
    if name == "not_reply":
        return all(each in now.get(name, ()) for each in value)
    return name in now and now[name] == value


def _assurances(document: Data) -> list[Any]:
    found = document.get("assurances")
    return found if isinstance(found, list) else []


def _names(document: Data) -> set[str]:
    """The channels and answers that a document has, as `over` names them."""
    keys = {str(node["key"]) for node in all_nodes(document).values() if "key" in node}
    scoped = {f"answers.{node['as']}.{key}" for node in all_nodes(document).values() if node.get("as") for key in keys}
    state = document.get("state")
    return {"answers", *(f"answers.{key}" for key in keys), *scoped, *(state if isinstance(state, dict) else ())}


def _shown(value: Any) -> str:
    return one_line(inline(value), 160)
