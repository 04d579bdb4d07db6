"""Reading the reply to a question: by code or by a model, each value checked before it may be committed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from graphwright.engine._advance import takes_text
from graphwright.engine._exact_replies import (
    NOTHING,
    chosen,
    guided_value,
    is_offered,
    lacks_options,
    question_options,
    whole_value,
)
from graphwright.engine._paths import Selection
from graphwright.engine._position import lookup, view, with_answer
from graphwright.engine._questions import (
    Candidate,
    UserQuestion,
    answered,
    candidates,
    corrected_by_name,
    every_candidate,
    given_by_name,
    volunteered,
)
from graphwright.engine._wording import in_all_languages, name_of, quoted_value, say, titles_of, value_text
from graphwright.engine.host_interface import (
    Extract,
    ExtractionRequest,
    Facts,
    Proposal,
    Proposals,
    Recorder,
    Shared,
    UnreadReply,
    ValidatorFailed,
    seen_values,
)
from graphwright.errors import redact
from graphwright.flow._dependencies import unscoped
from graphwright.flow._json_schemas import Option, options_of
from graphwright.flow._schema_validation import first_violation
from graphwright.flow.compiled import Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards._vocabulary import ANSWERS
from graphwright.text._provenance import Sources, occurs, support_of
from graphwright.text.folding import normalised
from graphwright.text.yes_no import bare, begins_with_yes, read_yes_no, says_stop

if TYPE_CHECKING:
    from graphwright.engine.state import ThreadState


@dataclass(frozen=True, slots=True)
class Accepted:
    """A value that may be committed, and its quotation. `inferred`: the quotation does not contain the value."""

    candidate: Candidate
    value: Any
    quote: str
    inferred: bool = False


EARLY = "early"
"""The stage of a value that is kept until it can be checked."""

CHECKED = ("options", "schema", "validate")
"""The stages that check a value by what its question declares."""

UNSUPPORTED_QUOTE = "quotation"
"""The stage that refuses values without a quotation. The trace records the reason; it is not reported to the user."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An answer that the user takes back, or does not have to an optional question, and the words that say so."""

    candidate: Candidate
    quote: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A value that may not. `stage` is `quotation`, `correction`, `options`, `schema`, `when`, `validate`, `approval`
    or `consent`: a reply that the model reads as a yes, and that is none of those on the list; or `early`: it
    cannot be checked yet.
    """

    candidate: Candidate
    value: Any
    quote: str
    stage: str
    reason: str
    is_explained: bool = True
    """Whether the reason says more than that the value does not fit."""

    @property
    def is_reported(self) -> bool:
        """Whether the reason is reported to the user."""
        return self.stage != UNSUPPORTED_QUOTE


def _is_inferred(candidate: Candidate, value: Any, message: str) -> bool:
    """Whether the value is a text or number, not an option, that the message does not contain."""
    written = candidate.options or not isinstance(value, str | int | float)
    return not written and support_of(value, Sources(said=(message,))) != "said"


def quoted(message: str, proposal: Proposal, value: Any, every: Sequence[Candidate] = ()) -> Accepted | Rejected:
    """Accept the value of a proposal if its quotation occurs in the message.

    A free text must not be the name of an option of another question of `every` that the message does not hold.
    """
    candidate = proposal.candidate
    inferred = _is_inferred(candidate, value, message)
    reason = ""
    if not occurs(proposal.quote, (message,)):
        reason = "the message does not contain the words that the model quotes"
    elif inferred and isinstance(value, str) and any(is_offered(value, each.options) for each in every):
        reason = "the value is an option of another question, and the message does not hold it"
    if reason:
        return Rejected(candidate, value, proposal.quote, UNSUPPORTED_QUOTE, reason)
    return Accepted(candidate, value, proposal.quote, inferred)


def _of_its_type(candidate: Candidate, value: Any) -> Any:
    """The value of an option that was given by its title, and whole numbers as such: JSON makes no difference."""
    if candidate.options and not is_offered(value, candidate.options) and isinstance(value, str):
        option = chosen(value, candidate.options)
        return value if option is None else option.value
    if isinstance(value, float) and value.is_integer() and candidate.question.schema.get("type") == "integer":
        return int(value)
    return value


def not_applicable(facts: Facts, accepted: Accepted, values: Mapping[str, Any], language: str) -> Rejected:
    """Refuse an answer to a question that does not apply. The reason names the answers that make `when` false."""
    value = value_text(question := accepted.candidate.question, accepted.candidate.options, accepted.value, language)
    seen = view(facts.flow, values, accepted.candidate.scopes)
    given = _answers_against(facts, question, question.when, seen, language)
    sentence = "not_applicable_given" if given else "not_applicable"
    reason = say(language, sentence, name=name_of(question), value=value, given=given)
    return Rejected(accepted.candidate, accepted.value, accepted.quote, "when", reason)


def validated(facts: Facts, accepted: Accepted, values: Mapping[str, Any], language: str = "") -> Accepted | Rejected:
    """Check a value against the question's options, schema and `validate`, over the answers so far."""
    candidate, value = accepted.candidate, accepted.value
    question = candidate.question

    def reject(stage: str, sentence: str, **parts: Any) -> Rejected:
        reason = say(language, sentence, value=value_text(question, (), value, language), **parts)
        return Rejected(
            candidate, value, accepted.quote, stage, reason, sentence not in ("not_acceptable", "not_valid")
        )

    if question.options and not is_offered(value, options := question_options(question, values)):
        return reject("options", "no_option", names=titles_of(options, language))
    violation = first_violation(question.schema, value, language)
    if violation:
        return reject("schema", "cannot_be_taken", why=violation)
    if question.validate is not None:
        seen = {**view(facts.flow, values, candidate.scopes), "value": value}
        verdict = question.validate.evaluate(seen)
        if verdict.error and not verdict.missing:
            return reject("validate", "not_checked", why=redact(verdict.error))
        if not verdict.opens:
            given = _answers_against(facts, question, question.validate, seen, language)
            return reject("validate", "not_acceptable_given" if given else "not_acceptable", given=given)
    if question.validator:
        try:
            fits = facts.check(question, value)
        except ValidatorFailed as error:
            return reject("validate", "not_checked", why=f"{question.validator}: {error}")
        if not fits:
            return reject("validate", "not_valid", name=name_of(question))
    return accepted


def _answers_against(
    facts: Facts, question: Question, guard: Guard | None, seen: Mapping[str, Any], language: str
) -> str:
    """The other answers that make a guard of a question false, with their names, as users see them."""
    named = {f"{ANSWERS}.{each.key}": each for each in facts.flow.questions if each.key != question.key}
    found = []
    for name in sorted(guard.deciding_reads(seen) if guard is not None else ()):
        other, (given, value) = named.get(unscoped(name)), lookup(seen[ANSWERS], tuple(name.split(".")[1:]))
        if other is not None and given:
            options = () if lacks_options(other, seen) else question_options(other, seen)
            found.append(f"{name_of(other)}: {value_text(other, options, value, language)}")
    return "; ".join(found)


LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def tag_of(value: Any) -> str:
    """Return a language tag that a channel holds; empty for any other value."""
    return value if isinstance(value, str) and LANGUAGE_TAG.fullmatch(value) else ""


_SHORT = 12
"""Characters of a message that is too short to change the language of a conversation."""
_LISTED = 8


@dataclass(frozen=True, slots=True)
class Reply:
    """The content of a reply.

    `withdrawn` are answers given before that it takes back without another in their place, and optional ones that the
    user does not have. `unknown` is why the user has no answer to the waiting question, `escalate` why they want a
    person, `abandon` why they give up the whole request, else None. `yes` says whether the model reads consent in a
    reply to a confirmation that begins with a listed yes and states answers; None for any other reply. `asks` are the
    questions of the user. `note` is a sentence for the user, such as that a reply to a confirmation is neither yes nor
    no and corrects nothing. `further` is a sentence for the user about another request in a reply to a confirmation.
    `selected` are the paths that the model named, `corrects`: it reads a correction. `language`: after the reply.
    """

    accepted: tuple[Accepted, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    unknown: str | None = None
    escalate: str | None = None
    abandon: str | None = None
    yes: bool | None = None
    asks: tuple[UserQuestion, ...] = ()
    note: str = ""
    further: str = ""
    selected: tuple[Selection, ...] = ()
    corrects: bool = False
    language: str = ""


def shared_reply(log: Recorder, state: ThreadState, shared: Shared, waiting: Candidate | None) -> Reply:
    """Return the values that another flow took from the message as a reply; `waiting` is None if no question waits."""
    known: dict[str, Candidate] = {each.key: each for each in reversed(every_candidate(log.flow))}
    asked = "" if waiting is None else waiting.key
    if waiting is not None:
        known[asked] = waiting
    accepted = tuple(
        Accepted(known[key], value, quote)
        for key, (value, quote) in shared.values.items()
        if key in known and (key == asked or lookup(state.answers, known[key].path) != (True, value))
    )
    withdrawn = (
        Withdrawn(known[key], words)
        for key, words in shared.withdrawn.items()
        if key in known and key != asked and _may_withdraw(known[key], state)
    )
    return Reply(
        accepted,
        tuple(withdrawn),
        unknown=shared.unknown.get(asked),
        escalate=shared.escalate,
        abandon=shared.abandon,
        # A message that owes no answer is treated like a question of the user.
        asks=() if shared.owed else (UserQuestion(None, ""),),
        selected=shared.selected,
        language=shared.language or state.language,
    )


def _may_withdraw(candidate: Candidate, state: ThreadState) -> bool:
    given = lookup(state.answers, candidate.path)[0]
    return given or not (candidate.question.required or candidate.key in state.declined)


def read_reply(log: Recorder, state: ThreadState, waiting: Candidate, text: str, *, opener: bool) -> Reply:
    """Read `text` as the reply to the waiting question. Raises UnreadReply if the model that reads it fails.

    An `opener` began the conversation without having seen the question: it cannot confirm, nor choose by number.
    """
    if not opener and _skips(log, state, waiting.question, text):
        return Reply(unknown=text.strip(), language=state.language)
    match waiting.question.read:
        case "extract" | "choice" if log.flow.on_abandon and _stops(log, state, waiting, text):
            reply = Reply(abandon=text.strip())
        case "verbatim":
            reply = Reply((Accepted(waiting, text.strip(), text.strip()),))
        case "choice" if _flow_reads(waiting.question):
            reply = _chosen(log, state, waiting, text, opener=opener)
        case "confirm":
            reply = _confirmed(log, state, waiting, text, opener=opener)
        case "extract" | "choice":
            reply = _extracted(log, state, waiting, text, opener=opener)
    return replace(reply, language=reply.language or state.language)


def _stops(log: Recorder, state: ThreadState, waiting: Candidate, text: str) -> bool:
    """Whether a reply is a listed stop, and no option of the question is called that."""
    return says_stop(text) and chosen(text, question_options(waiting.question, seen_values(log, state))) is None


def value_reply(waiting: Candidate, value: Any) -> Reply:
    """Return a value for the waiting question as a reply. Null leaves an optional question open, if it is no answer."""
    if value is None and is_optional(waiting.question) and first_violation(waiting.question.schema, None):
        return Reply(unknown="")
    return Reply((Accepted(waiting, value, ""),))


def is_optional(question: Question) -> bool:
    """Whether a question can be left open."""
    return not question.required and question.read != "confirm"


def may_skip(log: Recorder, question: Question) -> bool:
    """Whether the listed `skip` leaves a question open: it is optional, and no model reads the reply to it."""
    return is_optional(question) and (question.read == "verbatim" or log.facts.without_model)


def _skips(log: Recorder, state: ThreadState, question: Question, text: str) -> bool:
    """Whether a reply is the listed `skip`, and no option of the question is called that."""
    if not may_skip(log, question) or bare(text) not in map(bare, in_all_languages("skip")):
        return False
    return chosen(text, question_options(question, seen_values(log, state))) is None


def read_correction(log: Recorder, state: ThreadState, text: str) -> Reply:
    """Read a message that answers no question: which answers it corrects or takes back.

    After a failure these are answers that were given; at the beginning of a conversation it may give others as well. A
    model that fails corrects nothing.
    """
    values = seen_values(log, state)
    begins = state.mode in ("new", "ended") and not log.facts.without_model
    every = volunteered(log.flow, values) if begins else answered(log.flow, values)
    if log.facts.without_model:
        every = (*every, *corrected_by_name(log.flow, values))
    if not every:
        return Reply()
    if log.facts.without_model:
        changed = _named_answer(text, every, state.language) or _option_of_one(text, state.answers, every)
        return Reply(rejected=(changed,)) if isinstance(changed, Rejected) else Reply((changed,) if changed else ())
    try:
        return read_proposals(text, "", _proposed(log, state, None, text, every), state, every)
    except UnreadReply:
        return Reply()


def _chosen(log: Recorder, state: ThreadState, waiting: Candidate, text: str, *, opener: bool) -> Reply:
    values = seen_values(log, state)
    options = question_options(waiting.question, values)
    value = NOTHING if opener and bare(text).isdecimal() else whole_value(waiting.question.schema, options, text)
    if value is not NOTHING:
        return Reply((Accepted(waiting, value, text.strip()),))
    every = given_by_name(log.flow, waiting, values) if log.facts.without_model else ()
    named = _named_answer(text, every, state.language)
    if isinstance(named, Accepted):
        return Reply((named,))
    return Reply() if opener else Reply(rejected=(_not_an_option(waiting, text.strip(), options, state.language),))


def _flow_reads(question: Question) -> bool:
    """Whether the nodes of the flow read the first reply to a question that names no option."""
    return question.max_invalid == 1 and bool(question.on_invalid)


def _not_an_option(candidate: Candidate, text: str, options: Sequence[Option], language: str) -> Rejected:
    """The refusal of a reply that names no option, or several. The reason lists the options."""
    several = sum(normalised(o.title) == normalised(text) for o in options) > 1
    reason = say(language, "several_options" if several else "no_such_option", names=titles_of(options, language))
    return Rejected(candidate, text, text, "options", reason)


def _confirmed(log: Recorder, state: ThreadState, waiting: Candidate, text: str, *, opener: bool) -> Reply:
    """Read yes and no from a closed list. Any other text is the answer itself, and may hold corrections.

    A longer reply is consent only if it begins with a listed yes and the model reads consent in it and no change.
    If only the model reads consent, the user is asked for a yes or no.
    """
    own = Accepted(waiting, text.strip(), text.strip())
    if not opener:
        option = chosen(text, options_of({"type": "boolean"}))
        plain = read_yes_no(text) if option is None else option.value
        if plain is not None:
            return Reply((replace(own, value=plain),))
    values = seen_values(log, state)
    others = tuple(c for c in candidates(log.flow, waiting, values) if c.key != waiting.key)
    if opener and not others:
        return Reply()
    taken = takes_text(log.flow, state.at.frames, waiting.path, values)
    if log.facts.without_model:
        read = _confirmed_without_model(state, own, text, (*others, *corrected_by_name(log.flow, values)))
        return read if taken else _without_text(read, own, state.language)
    if taken and not (others or begins_with_yes(text)):
        # There is nothing to correct here: the flow's own nodes read the text.
        return Reply((own,))
    try:
        proposals = _proposed(log, state, waiting, text, others)
    except UnreadReply:
        if others:
            raise
        # A reply that the model cannot read is not a consent; the flow continues with the text.
        return Reply((own,))
    further = _further(text, proposals)
    # Words that ask for something else are not a value for this request.
    unfit = tuple((key, words) for key, words in proposals.unfit if key or not _overlaps(words, further))
    proposals = replace(proposals, unfit=unfit, further=further)
    reply = read_proposals(text, waiting.key, proposals, state, others)
    if reply.abandon is not None:
        return reply
    if opener:
        # A change of an answer counts as an answer to a question that was not asked yet; the flow continues with it.
        changed = reply.accepted or reply.withdrawn
        return replace(reply, accepted=(*reply.accepted, own) if changed else (), unknown=None)
    read = _consented(reply, proposals, own, text, corrects=bool(others))
    return read if taken else _without_text(read, own, read.language)


def _without_text(reply: Reply, own: Accepted, language: str) -> Reply:
    """A reply to a confirmation of a flow that would end after a text as after a no: the text is not an answer."""
    if own not in reply.accepted:
        return reply
    accepted = tuple(each for each in reply.accepted if each is not own)
    if accepted or reply.withdrawn or reply.asks or reply.rejected or reply.note:
        return replace(reply, accepted=accepted)
    refused = Rejected(own.candidate, own.value, own.quote, "consent", say(language, "yes_or_no"))
    return replace(reply, accepted=(), rejected=(refused,))


def _consented(reply: Reply, proposals: Proposals, own: Accepted, text: str, *, corrects: bool) -> Reply:
    """Return the reply to a confirmation, completed by its effect on the confirmation itself.

    `corrects` says whether there is anything that it could correct.
    """
    changes = bool(proposals.answers or proposals.selected or proposals.unfit or reply.withdrawn)
    taken = proposals.consent == "agrees" and begins_with_yes(text)
    if proposals.further and not changes:
        noted = quoted_value(proposals.further)
        reply = replace(reply, further=say(reply.language, "next_request" if taken else "later_request", noted=noted))
    if proposals.consent == "agrees" and not changes:
        if taken:
            return replace(reply, accepted=(replace(own, value=True),), unknown=None)
        refused = Rejected(own.candidate, own.value, own.quote, "consent", say(reply.language, "yes_or_no"))
        return replace(reply, rejected=(*reply.rejected, refused), unknown=None)
    if proposals.consent == "declines" and not changes:
        return replace(reply, accepted=(replace(own, value=False),), unknown=None)
    if reply.asks and not changes:
        return replace(reply, unknown=None)
    yes = proposals.consent == "agrees" if begins_with_yes(text) else None
    changed = reply.accepted or reply.withdrawn
    nothing = corrects and not changed and not any(r.is_reported for r in reply.rejected)
    nothing = nothing and not (proposals.selected or reply.asks)
    none = say(reply.language, "nothing_to_change") if nothing else ""
    return replace(reply, accepted=(*reply.accepted, own), unknown=None, note=reply.note or none, yes=yes)


def _further(text: str, proposals: Proposals) -> str:
    """Return the words of a reply to a confirmation that ask for something else; empty if there are none.

    There are none if the message does not contain them, if they are the whole message, or if they are a question that
    the model reports as one, which is answered.
    """
    words = proposals.further
    answered_anyway = any(occurs(words, (question,)) for _, question in proposals.asks)
    alone = normalised(words) == normalised(text)
    return words if occurs(words, (text,)) and not (alone or answered_anyway) else ""


def _overlaps(one: str, other: str) -> bool:
    return occurs(one, (other,)) or occurs(other, (one,))


def _confirmed_without_model(state: ThreadState, own: Accepted, text: str, others: Sequence[Candidate]) -> Reply:
    """Read a longer reply to a confirmation by code: an option of one question, or `NAME: VALUE`; else say that."""
    changed = _named_answer(text, others, state.language) or _option_of_one(text, state.answers, others)
    if isinstance(changed, Rejected):
        return Reply((own,), rejected=(changed,))
    if changed is not None:
        # A text that the schema refuses is only the correction, not an answer that is refused.
        refused = first_violation(own.candidate.question.schema, own.value)
        return Reply((changed,) if refused else (changed, own))
    answered = [c for c in others if lookup(state.answers, c.path)[0]]
    if not answered:
        return Reply((own,))
    first = answered[0]
    value = lookup(state.answers, first.path)[1]
    if type(value) not in (int, float):
        value = value_text(first.question, first.options, value, state.language).strip("“”")
    note = say(state.language, "change_by_name", name=name_of(first.question), value=value)
    return Reply((own,), note=note)


_KEY_AND_VALUE = re.compile(r"([^:=\n]{1,80})[:=](.+)", re.DOTALL)


def _named_answer(text: str, every: Iterable[Candidate], language: str) -> Accepted | Rejected | None:
    """Return the answer in a reply of the form `NAME: VALUE`, or why its value cannot be taken.

    None if the reply does not have the form, or no question has the name.
    """
    match = _KEY_AND_VALUE.fullmatch(text.strip())
    if match is None:
        return None
    name = bare(match[1])
    named = [c for c in every if name in {bare(c.key), bare(c.question.key), bare(name_of(c.question))}]
    if len(named) != 1:
        return None
    written, question = match[2].strip(), named[0].question
    value = guided_value(question.schema, named[0].options, written)
    if value is not NOTHING:
        return Accepted(named[0], value, text.strip(), _is_inferred(named[0], value, written))
    if named[0].options:
        return _not_an_option(named[0], written, named[0].options, language)
    why = first_violation(question.schema, written, language)
    reason = say(language, "cannot_be_taken" if why else "not_acceptable", value=quoted_value(written), why=why)
    return Rejected(named[0], written, written, "schema", reason)


def _option_of_one(text: str, answers: Mapping[str, Any], every: Iterable[Candidate]) -> Accepted | None:
    """Return the answer if the reply is an option of exactly one answered question, else None."""
    if bare(text).isdecimal():
        return None
    found = [
        Accepted(each, option.value, text.strip())
        for each in every
        if lookup(answers, each.path)[0] and (option := chosen(text, each.options)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _extracted(log: Recorder, state: ThreadState, waiting: Candidate, text: str, *, opener: bool) -> Reply:
    """Return the whole reply as the answer if code can read it as a value, else the values that a model extracts."""
    values, question = seen_values(log, state), waiting.question
    options = question_options(question, values)
    unseen = opener and bare(text).isdecimal()
    value = NOTHING if unseen else whole_value(question.schema, options, text)
    if value is NOTHING and log.facts.without_model:
        named = _named_answer(text, given_by_name(log.flow, waiting, values), state.language)
        if named is not None:
            return Reply((named,)) if isinstance(named, Accepted) else Reply(rejected=(named,))
        value = NOTHING if opener else guided_value(question.schema, options, text)
        if value is NOTHING and options and not opener:
            return Reply(rejected=(_not_an_option(waiting, text.strip(), options, state.language),))
        if value is NOTHING:
            return Reply()
    if value is not NOTHING:
        inferred = _is_inferred(replace(waiting, options=options), value, text)
        return Reply((Accepted(waiting, value, text.strip(), inferred),))
    proposed = _proposed(log, state, waiting, text, every := candidates(log.flow, waiting, values))
    reply = read_proposals(text, waiting.key, proposed, state, every)
    says_nothing = not (reply.accepted or reply.rejected or reply.withdrawn or reply.selected or reply.asks)
    owed = question.read == "choice" and (question.required or reply.unknown is None) and not opener
    if owed and says_nothing and reply.escalate is None:
        return replace(reply, rejected=(_not_an_option(waiting, text.strip(), options, reply.language),))
    return reply


def _proposed(
    log: Recorder, state: ThreadState, waiting: Candidate | None, text: str, every: Sequence[Candidate]
) -> Proposals:
    prompt, now = state.waiting.prompt if state.waiting else "", log.facts.now
    given = state.answers
    for key, kept in state.early.items():
        given = with_answer(given, tuple(key.split(".")), kept.value)
    asked = ExtractionRequest(text, waiting, prompt, every, given, log.flow.paths, now, bool(log.flow.on_abandon))
    found: Proposals = log.need(Extract(waiting.question.id if waiting else state.at.node, asked))
    return found


def read_proposals(
    text: str, waiting: str, proposals: Proposals, state: ThreadState, every: Sequence[Candidate]
) -> Reply:
    """Check each proposal's quotation against the message. Of several for one key the last one wins.

    `waiting` is the key that is asked for; empty if none is. While another answer is asked for, a value replaces an
    earlier answer only if the model calls it a correction. At a confirmation any other value is a change.
    """
    language = _language(text, proposals.language, state.language)
    answer_asked = any(each.key == waiting for each in every)
    accepted: dict[str, Accepted] = {}
    rejected: list[Rejected] = []
    later, unfit, note = _unfit(text, proposals, every, language)
    for proposal in (*later, *proposals.answers):
        key, value = proposal.candidate.key, _of_its_type(proposal.candidate, proposal.value)
        given, before = lookup(state.answers, proposal.candidate.path)
        if key != waiting and given and before == value:
            continue
        result = quoted(text, proposal, value, every)
        if isinstance(result, Rejected):
            rejected.append(result)
        elif given and answer_asked and key != waiting and not proposal.correction:
            rejected.append(_unchanged(result, before, language))
        else:
            accepted[key] = result
    rejected += [each for each in unfit if each.candidate.key not in accepted]
    proposals = replace(proposals, unknown=_declined(proposals, every))
    if proposals.abandon is not None and proposals.escalate is None and not accepted:
        # Nothing is withdrawn: the user may continue the request.
        return Reply(abandon=proposals.abandon, language=language)
    withdrawn = tuple(
        Withdrawn(each, words)
        for each in every
        if each.key not in (waiting, *accepted) and (words := _without(each, proposals, state))
        if occurs(words, (text,))
    )
    return Reply(
        tuple(accepted.values()),
        withdrawn,
        tuple(rejected),
        proposals.unknown.get(waiting, proposals.withdrawn.get(waiting)),
        proposals.escalate,
        asks=_questions(text, proposals, every),
        note=note,
        selected=proposals.selected,
        corrects=bool(proposals.withdrawn) or any(each.correction for each in proposals.answers),
        language=language,
    )


def _unfit(
    text: str, proposals: Proposals, every: Sequence[Candidate], language: str
) -> tuple[list[Proposal], list[Rejected], str]:
    """Return the outcome for values that do not fit any answer, if the message contains their words.

    Options of a channel may change with other values of the reply, so such a value is proposed like any other. The
    second part refuses the others, with a reason that says what the answer must be. The last part lists text without an
    answer.
    """
    known = {each.key: each for each in every}
    later: list[Proposal] = []
    refused: list[Rejected] = []
    homeless: list[str] = []
    for key, words in proposals.unfit:
        if not occurs(words, (text,)):
            continue
        candidate = known.get(key)
        if candidate is None:
            homeless.append(quoted_value(words))
        elif candidate.question.options:
            later.append(Proposal(candidate, words, words, True))
        else:
            options, why = candidate.options, first_violation(candidate.question.schema, words, language)
            sentence = "no_option" if options else "cannot_be_taken" if why else "not_acceptable"
            reason = say(language, sentence, value=quoted_value(words), names=titles_of(options, language), why=why)
            refused.append(Rejected(candidate, words, words, "options" if options else "schema", reason))
    return later, refused, say(language, "not_taken", asked=", ".join(homeless)) if homeless else ""


def _questions(text: str, proposals: Proposals, every: Sequence[Candidate]) -> tuple[UserQuestion, ...]:
    """The questions of the user, with their words if the message contains them."""
    about = {each.key: each for each in every}
    asked = proposals.asks
    return tuple(UserQuestion(about.get(key), words if occurs(words, (text,)) else "") for key, words in asked)


def copied(refused: Rejected, accepted: Sequence[Accepted]) -> Rejected:
    """Return the refusal, hidden from the user if a text to a question that does not apply repeats an accepted answer.

    The text has the same quotation, and is that quotation or the accepted value: the user loses nothing.
    """
    free = isinstance(refused.value, str) and not refused.candidate.options
    for each in accepted if free and refused.stage == "when" else ():
        quote = normalised(refused.quote)
        if quote == normalised(each.quote) and (refused.value == each.value or quote == normalised(refused.value)):
            reason = f"the model repeats what it read for {each.candidate.key}"
            return replace(refused, stage=UNSUPPORTED_QUOTE, reason=reason)
    return refused


def _declined(proposals: Proposals, every: Sequence[Candidate]) -> dict[str, str]:
    """Return the declined keys and their words, without those whose words are a value, such as an address."""
    known = {each.key: each for each in every}
    return {
        key: words
        for key, words in proposals.unknown.items()
        if key not in known or whole_value(known[key].question.schema, known[key].options, words) is NOTHING
    }


def _unchanged(accepted: Accepted, before: Any, language: str) -> Rejected:
    """The refusal of another value for an answer, if the model does not report a correction by the user."""
    candidate = accepted.candidate
    old, new = (
        value_text(candidate.question, candidate.options, value, language) for value in (before, accepted.value)
    )
    reason = say(language, "unchanged", name=name_of(candidate.question), before=old, value=new)
    return Rejected(candidate, accepted.value, accepted.quote, "correction", reason)


def _without(candidate: Candidate, proposals: Proposals, state: ThreadState) -> str:
    """The words that take back an answer, or that say the user has none to an optional question; else empty."""
    words, key = proposals.withdrawn.get(candidate.key, ""), candidate.key
    if lookup(state.answers, candidate.path)[0] or key in state.early:
        return words
    return "" if candidate.question.required or key in state.declined else words or proposals.unknown.get(key, "")


def _language(text: str, named: str, before: str) -> str:
    """The language of the conversation: as the model reads it, except for a message too short to tell."""
    if before and len(text.strip()) <= _SHORT:
        return before
    return named if LANGUAGE_TAG.fullmatch(named) else before
