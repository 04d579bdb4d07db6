"""Replies by code: what is missing, choices, errors with a next step, what was done, what the agent does not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks.transitions import spoken, state_of
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.requests.answers import UNKNOWN_CODES
from graphwright.agents.upgrade.requests.grounding import Refusal
from graphwright.agents.upgrade.requests.resolving import Resolved
from graphwright.agents.upgrade.telling.listing import bounded, option_line, point_text
from graphwright.agents.upgrade.telling.reporting import simulation_reply
from graphwright.agents.upgrade.words.deeds import Asked
from graphwright.agents.upgrade.words.places import Contexts, near_values
from graphwright.agents.upgrade.words.quoting import listed, one_line, quoted

_MOST_OFFERED = 8
_LONGEST = 400

DEED: Mapping[str, str] = {
    "create_experiment": "create an experiment",
    "update_experiment": "change an experiment",
    "delete_experiment": "delete an experiment",
    "update_experiment_status": "start, stop, resume or cancel an experiment",
    "init_experiment_user": "initialise a user",
    "get_decision_point_assignments": "look up what a user is assigned",
    "mark_decision_point": "mark a visit of a user",
    "simulate_experiment": "simulate users in an experiment",
}
"""What each action does, behind "to"."""

HELP = (
    "I manage experiments on UpGrade. I can\n"
    "- explain terms, and show contexts, conditions, decision points and experiments\n"
    "- create, change and delete experiments\n"
    "- start, stop, resume and cancel them\n"
    "- initialise users, look up what they are assigned, and mark visits\n"
    "- simulate users and test whether the split is fair\n"
    "Nothing is done before you say yes to it."
)
GREETING = "Hello! I manage experiments on UpGrade. What would you like to do? Say 'help' for what I can do."
THANKS = "You are welcome."
NOTHING_TO_CONFIRM = "There is nothing that waits for a yes or a no. What would you like to do?"
UNCLEAR = (
    "I did not understand what to do. Say it in a sentence, such as \"start the experiment 'Math Hints'\" or "
    '"list the contexts".'
)


# What is missing


def missing_reply(
    action: str,
    missing: Sequence[str],
    params: Mapping[str, Any],
    contexts: Contexts,
    *,
    codes: Sequence[str] = (),
    names: Sequence[str] = (),
) -> str:
    """Asks for what an action still needs, at most two things at a time, and offers what there is.

    `codes` are those of the experiment in question, `names` those of all experiments.
    """
    # The conditions and points that can be chosen hang on the context.
    asked = missing[:1] if missing[:1] == ["context"] else missing[:2]
    known = contexts.get(str(params.get("context", "")), {})
    if asked[:1] == [UNKNOWN_CODES]:
        asked, codes = asked[:1], [str(each["code"]) for each in params.get("conditions", ())]
    questions = [_question(piece, contexts, known, codes, names) for piece in asked]
    return "\n".join([_so_far(action, params), *questions] if _so_far(action, params) else questions)


def _so_far(action: str, params: Mapping[str, Any]) -> str:
    if not params.get("name"):
        return ""
    return f"{_HEADS.get(action, 'About')} {quoted(params['name'])}:"


_HEADS = {
    "create_experiment": "To create the experiment",
    "update_experiment": "To change the experiment",
    "update_experiment_status": "About the experiment",
    "simulate_experiment": "To simulate users in",
}


def _question(
    piece: str, contexts: Contexts, known: Mapping[str, Sequence[str]], codes: Sequence[str], names: Sequence[str]
) -> str:
    match piece:
        case "name":
            return "What should the experiment be called?"
        case "context":
            return f"Which context? {_there_are(list(contexts))}"
        case "unknown_codes":
            return _strange(known.get("conditions", ()), codes)
        case "conditions":
            offered = f" This context knows {_offered(known['conditions'])}." if known.get("conditions") else ""
            return f"Which conditions, and with which weights? Without weights all get the same.{offered}"
        case "decision_points":
            return f"At which decision points (site/target)?{_places(known)}"
        case "changes":
            return "What should be changed: the name, the weights or conditions, decision points, lists, or a rule?"
        case "experiment" | "experiment_id":
            offered = f" There are {listed(list(dict.fromkeys(names)), 5)}." if names else ""
            return f"Which experiment do you mean?{offered}"
        case "status":
            return "What should happen to it: start, stop, resume or cancel?"
        case "user_id":
            return "Which user? Give me the user's id."
        case "users":
            return "How many users should I simulate?"
        case "groups":
            return "Over how many groups should they be spread?"
        case "site" | "target":
            there = known.get(f"{piece}s", ())
            offered = f" This context knows {_offered(there)}." if there else ""
            return f"Which {piece}?{offered}"
        case "condition_code":
            offered = f" The experiment has {_offered(codes)}." if codes else ""
            return f"Which condition did the user get, or none?{offered}"
        case "group":
            types = known.get("group_types") or sorted(
                {type for each in contexts.values() for type in each.get("group_types", ())}
            )
            return f"By which type of groups? {_there_are(types)}"
        case "weights":
            return "With which weights? They add up to 100."
        case "revert_to":
            return "Which condition should everybody get afterwards?"
    return f"What should {quoted(piece.replace('_', ' '), 40)} be?"


def _strange(known: Sequence[str], codes: Sequence[str]) -> str:
    """Asks about condition codes that the context does not know."""
    strange = [code for code in codes if code not in known]
    many = len(strange) > 1
    nearest = [near[0] for code in strange if (near := near_values(code, known))]
    what = (
        f"The context does not know the condition{'s' if many else ''} {listed(strange)}. It knows {_offered(known)}."
    )
    if nearest and len(nearest) == len(strange):
        return f"{what} Did you mean {listed(nearest)}? Say 'keep {'them' if many else 'it'}' to use what you said."
    instead = "Which ones do you mean?" if many else "Which one do you mean?"
    return f"{what} {instead} Say 'keep {'them' if many else 'it'}' to use what you said."


def _there_are(names: Sequence[str]) -> str:
    return f"There are {_offered(names)}." if names else "The server has none."


def _offered(names: Sequence[str]) -> str:
    return listed(list(names), _MOST_OFFERED)


def _places(known: Mapping[str, Sequence[str]]) -> str:
    sites, targets = known.get("sites", ()), known.get("targets", ())
    if not sites or not targets:
        return ""
    return f" Sites of this context: {_offered(sites)}. Targets: {_offered(targets)}."


# Which experiment


def choice_reply(resolved: Resolved) -> str:
    """Lets the user choose among experiments."""
    if len(resolved.options) == 1:
        there = f"There is no experiment called {quoted(resolved.said)}. " if resolved.said else ""
        return f"{there}Did you mean {option_line(resolved.options[0])}? Say yes, or the name of another one."
    many = len(resolved.options) + resolved.more
    same = len({option.name for option in resolved.options}) == 1
    what = f"are called {quoted(resolved.options[0].name)}" if same else f"come near to {quoted(resolved.said)}"
    lines = [f"{many:,} experiments {what}. Which one do you mean?"]
    lines += [f"{place}. {option_line(option)}" for place, option in enumerate(resolved.options, 1)]
    if resolved.more:
        lines.append(f"... and {resolved.more:,} more: say more of the name.")
    return "\n".join(lines)


def not_found_reply(resolved: Resolved, names: Sequence[str]) -> str:
    """There is no such experiment; `names` are those that there are."""
    first = f"There is no experiment called {quoted(resolved.said)}."
    if resolved.nearest:
        return f"{first} The nearest {'is' if len(resolved.nearest) == 1 else 'are'} {listed(list(resolved.nearest))}."
    if not names:
        return f"{first} There are no experiments."
    return f"{first} There are {listed(list(dict.fromkeys(names)), 5)}."


# What is not done


def refused_reply(refusal: Refusal, action: str) -> str:
    """Why an action that somebody or something proposed is not done."""
    deed = DEED.get(action, "do that")
    match refusal:
        case "denied":
            return "All right, I leave it as it is."
        case "question" | "supposed" | "told":
            return f"I did nothing. To {deed}, tell me to, and I ask you before it happens."
        case "all":
            return "I do that for one experiment at a time, each with its own confirmation."
        case "unknown_action" | "not_asked":
            return UNCLEAR
    return UNCLEAR


def which_code_reply(codes: Sequence[str]) -> str:
    """A lone number was said where several conditions have weights."""
    return f"For which condition is that? Say it with its code, such as {quoted(f'{codes[0]} 60')}: {listed(codes)}."


def cannot_reply(asked: Asked) -> str:
    """What the user asks for is nothing that the agent can do."""
    if asked.verb == "undo":
        return "UpGrade cannot take back what was done. Tell me what it should be like, and I change it."
    if asked.verb == "schedule":
        return "I start an experiment at once, not at a later time. Tell me when it should begin, and I ask you first."
    if asked.verb == "foreign":
        return f"I cannot do that: {quoted(asked.clause, 80)}. I only work with experiments on UpGrade.\n{HELP}"
    what = "Contexts, users and segments are not mine to delete or make."
    return f"I cannot do that: {quoted(asked.clause, 80)}. {what}\n{HELP}"


def declined_reply(action: str, params: Mapping[str, Any]) -> str:
    """The user said no to the confirmation."""
    name = params.get("name") or params.get("user_id")
    about = f" {quoted(name)}" if name else ""
    what = {
        "create_experiment": f"The experiment{about} was not created.",
        "delete_experiment": f"The experiment{about} was not deleted.",
        "update_experiment": f"The experiment{about} stays as it is.",
        "update_experiment_status": f"The experiment{about} stays as it is.",
        "simulate_experiment": "Nobody was simulated.",
        "init_experiment_user": f"The user{about} was not initialised.",
        "mark_decision_point": "The visit was not marked.",
    }.get(action, "Nothing was looked up.")
    return f"All right. {what}"


# Errors

_NEXT_STEPS: Mapping[str, str] = {
    "auth": (
        "Set UPGRADE_SERVICE_ACCOUNT to the key file of a Google service account, or UPGRADE_AUTH_TOKEN to a token, "
        "and start me again."
    ),
    "api": "Nothing is lost: say it again once the server answers. 'graphwright upgrade status' says where I look.",
    "validation": "Say it again as it should be.",
    "model": "Plain orders and questions need no model: say 'help' for what I can do.",
    "unknown": "Say it again; if it goes on, 'graphwright upgrade status' may say more.",
}
_TITLES: Mapping[str, str] = {
    "auth": "UpGrade does not accept the sign-in",
    "api": "UpGrade could not be used",
    "validation": "That does not fit",
    "not_found": "Not found",
    "execution": "It did not work",
    "unknown": "Something went wrong",
}


_LOOK_FIRST = ("look before trying again.", "look whether all is as it should be.")
"""Ends of messages about what was done, or may have been: it is not to be said again without a look."""


_SAYS_ITSELF = ("stays as it is", "There are: ", "The nearest is ")


def error_reply(errors: Mapping[str, str], *, action: str | None = None, asks: bool = False) -> str:
    """What went wrong, by type, each with what to do next, unless that is asked for at once.

    `errors["execution"]` repeats the others and gives way.
    """
    kinds = [kind for kind in errors if kind != "execution"] or list(errors)
    lines = []
    for kind in kinds:
        message = one_line(errors[kind], _LONGEST).removesuffix(" Try again.")
        title = _TITLES.get(kind, _TITLES["unknown"])
        lines.append(f"{title}: {message}" if kind not in ("validation", "not_found", "model") else message)
        step = "" if asks and kind == "validation" else _next_step(kind, message, action)
        if step:
            lines.append(step)
    return "\n".join(lines)


def _next_step(kind: str, message: str, action: str | None) -> str:
    if "does not know the user" in message:
        # That it is initialised is proposed by itself.
        return ""
    if kind == "api" and message.endswith(_LOOK_FIRST):
        return "Once the server answers, ask me how it is now."
    if kind == "auth" and "UPGRADE_" in message:
        return "Then start me again."
    if kind == "validation" and (message.endswith("first.") or any(said in message for said in _SAYS_ITSELF)):
        # It says itself what to do, or there is nothing to do.
        return ""
    if kind == "not_found" and action is not None:
        return (
            ""
            if message.endswith("?") or "There are" in message
            else "Say 'list the experiments' to see what there is."
        )
    return _NEXT_STEPS.get(kind, "")


# What was done


def result_reply(entry: Mapping[str, Any], names: Mapping[str, str] | None = None) -> str:
    """What an entry of the execution log did, with a next step. `names` are names of experiments by id."""
    action, params = str(entry["action"]), entry.get("params") or {}
    result = entry.get("result") or {}
    if entry.get("status") != "success":
        return f"It did not work: {one_line(entry.get('error_message') or 'no reason is known', _LONGEST)}"
    lines = _DONE.get(action, _other)(params, result, names or {})
    return "\n".join(lines)


def _created(params: Mapping[str, Any], result: Mapping[str, Any], _names: Mapping[str, str]) -> Iterator[str]:
    yield f"Created experiment {quoted(params['name'])} in context {quoted(params.get('context', ''))}."
    yield f"Its id is {one_line(result.get('experiment_id', 'not known'), 40)}."
    yield "It is inactive. Say 'start it' when it should begin."


_CHANGED = {"include": "inclusion list", "exclude": "exclusion list"}
_CHANGED |= {"uninclude": "taken off the inclusion list", "unexclude": "taken off the exclusion list"}


def _updated(params: Mapping[str, Any], result: Mapping[str, Any], _names: Mapping[str, str]) -> Iterator[str]:
    changed = [_CHANGED.get(each, str(each).replace("_", " ")) for each in result.get("changed", ())]
    what = f" ({', '.join(changed)})" if changed else ""
    yield f"Updated experiment {quoted(params['name'])}{what}."
    if params.get("new_name"):
        yield f"It is called {quoted(params['new_name'])} now."


_STATUS_DONE = {
    "enrolling": "started: users get conditions and are enrolled from now on",
    "enrollmentComplete": "stopped: nobody new is enrolled. It can be resumed",
    "cancelled": "cancelled, for good",
    "archived": "archived",
}


def _status_changed(params: Mapping[str, Any], result: Mapping[str, Any], _names: Mapping[str, str]) -> Iterator[str]:
    state = str(result.get("state") or params.get("status"))
    known = state_of(state)
    yield f"Experiment {quoted(params['name'])} status changed to {spoken(known) if known else one_line(state, 40)}."
    resumed = state == "enrolling" and result.get("before") == State.ENROLLMENT_COMPLETE.value
    done = "resumed: new users are enrolled again" if resumed else _STATUS_DONE.get(state, "")
    if done:
        yield f"It is {done}."
    if state == "enrolling" and not resumed:
        yield "Say 'simulate 500 users' to see whether the split is fair."


def _deleted(params: Mapping[str, Any], _result: Mapping[str, Any], _names: Mapping[str, str]) -> Iterator[str]:
    yield f"Deleted experiment {quoted(params['name'])}, with its enrolments and lists."


def _initialised(params: Mapping[str, Any], result: Mapping[str, Any], _names: Mapping[str, str]) -> Iterator[str]:
    yield f"Initialised user {quoted(params['user_id'])}."
    groups = result.get("group") or params.get("group") or {}
    for type, ids in bounded(sorted(groups.items()), 5)[0]:
        yield f"- {one_line(type, 40)}: {listed([str(id) for id in ids], 5)}"


def _assigned(params: Mapping[str, Any], result: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    found = list(result.get("assignments") or ())
    user, context = quoted(params["user_id"]), quoted(params.get("context", ""))
    where = " at this decision point" if params.get("site") or params.get("target") else ""
    if not found:
        yield f"User {user} is assigned nothing in {context}{where}: the default condition."
        return
    yield f"User {user} is assigned in {context}:"
    shown, more = bounded(found)
    for each in shown:
        name = names.get(str(each.get("experiment_id")), "")
        by = f" by {quoted(name)}" if name else ""
        yield f"- {point_text(each)}: condition {quoted(each.get('condition_code') or 'default')}{by}"
    if more:
        yield f"... and {more:,} more"


def _marked(params: Mapping[str, Any], result: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    code = result.get("condition_code")
    name = names.get(str(result.get("experiment_id")), "")
    yield f"Marked the visit of user {quoted(params['user_id'])} at {point_text(params)}."
    recorded = f"condition {quoted(code)}" if code else "no condition"
    yield f"Recorded: {recorded}{f' of experiment {quoted(name)}' if name else ''}."


def _simulated(_params: Mapping[str, Any], result: Mapping[str, Any], _names: Mapping[str, str]) -> Iterator[str]:
    yield simulation_reply(result)


def _other(_params: Mapping[str, Any], _result: Mapping[str, Any], _names: Mapping[str, str]) -> Iterator[str]:
    yield "Done."


_Tell = Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, str]], Iterator[str]]
_DONE: Mapping[str, _Tell] = {
    "create_experiment": _created,
    "update_experiment": _updated,
    "update_experiment_status": _status_changed,
    "delete_experiment": _deleted,
    "init_experiment_user": _initialised,
    "get_decision_point_assignments": _assigned,
    "mark_decision_point": _marked,
    "simulate_experiment": _simulated,
}
