"""Users and groups that a message names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from graphwright.agents.upgrade.words.saying import Saying, covered
from graphwright.agents.upgrade.words.vocabulary import COMMON, GROUP, USER
from graphwright.runtime.reading.words import Stretch, fold, fold_keeping_places, vocabulary, words_of

_USERS = re.compile(
    r"\b(?:user|users|student|students|pupil|pupils|learner|learners|participant|participants|nutzer|nutzern|benutzer"
    r"|benutzern|nutzerin|schuler|schulern|schulerin|student(?:en|in))\b"
    r"(?:\s+(?:ids?|called|named|namens|number|no\.|nr\.?|with (?:the )?id|mit der id|id is))?\s*(?:[:=–-]\s)?[:=]?\s*"
)
# An id is what the user writes, up to a blank or to marks that end it: O'Hara, ann.b@x.org, @bob.
_WRITTEN = re.compile(r"[^\s,;!?\"“”„«»()<>\[\]{}]+")
_AND = re.compile(r"\s*(?:,\s*(?:and|und)(?!\w)|[,;&]|(?<!\w)(?:and|und)(?!\w))\s*", re.IGNORECASE)
_BULLETED = re.compile(r"(?P<lead>[^\n:]*):[ \t]*\n(?P<lines>(?:[ \t]*[-*•][ \t]+[^\s:]+[ \t]*(?:\n|\Z))+)")
_BULLET = re.compile(r"[-*•][ \t]+(?P<id>[^\s:]+)")
_ENDS_ROW = re.compile(
    r"['’]?\s*(?:$|[,.;!?&\n]|(?:and|und|from|off|out|on|onto|to|in|into|at|of|for|with|aus|von|auf|in|im|bei|fur|für|mit)\b)",
    re.IGNORECASE,
)
_ID_LIKE = re.compile(r"(?=\S*\d)[^\W_][\w.@+-]{0,80}\Z")
# Numbers, per cents, ordinals, and ids of experiments.
_NO_ID = re.compile(r"[\d._:+@-]+\Z|\d+(?:%|k|st|nd|rd|th)\Z|[0-9a-f]{8}(?:-[0-9a-f]{4}|\Z)")
_NO_USER = vocabulary("""
    is are was were will would should can could do does did has have in into at on for to from of and or the a an
    get gets see sees who that which with as by not be been when if initialized assigned simulation id ids list
    group groups exclusion inclusion segment condition conditions testing data s he she they per count number named
    him his them their me myself us someone somebody anyone anybody noone nobody teacher teachers girls boys
    those these now then always still ever first
    called visited reached ist sind bekommt im am auf fur von mit und receive receives enrolled there exist exists
    evenly each equally only through via using over across please
""")
_SPEAKS_OF_LISTS = re.compile(r"\b(?:exclu\w*|inclu\w*|leave out|keep|ausschl\w*|einschl\w*|schliess\w*)\b")
_ONE_USER = r"[\"'“‘]?@?[^\W_][^\s,;!?/\"“”„«»()<>\[\]{}]*[\"'”’]?"
_SOME_USERS = rf"{_ONE_USER}(?:\s*(?:,\s*and|,|and|und|&)\s*{_ONE_USER})*"
# Where only the id of a user can stand, also one that looks like any other word.
_USER_SLOTS = (
    re.compile(
        rf"\b(?:init|initiali[sz]e|register|onboard|initialisiere|registriere)\s+(?P<ids>{_ONE_USER})"
        r"(?=\s*(?:$|[,.;!?])|\s+(?:in|with|as|im|mit|bei|please|bitte)\b)"
    ),
    re.compile(
        rf"\b(?:put|add|place|set|setze?|fuge)\s+(?P<ids>{_SOME_USERS})\s+(?:on|onto|to|in|into|auf|zu)\b"
        r"[^.!?\n]{0,40}\b(?:exclusion|inclusion|exclude|include|ausschluss\w*|einschluss\w*)"
    ),
    re.compile(
        rf"\b(?:remove|take|drop|delete|strike|pull|move|entferne|nimm|losche|streiche|hol)\s+(?P<ids>{_SOME_USERS})\s+"
        r"(?:from|off|out of|aus|von|vom)\b"
        r"[^.!?\n]{0,40}\b(?:exclusion|inclusion|exclude|include|ausschluss\w*|einschluss\w*)"
    ),
    re.compile(
        rf"\b(?:exclude|include|leave out|schliesse)\s+(?:only\s+|just\s+|nur\s+)?(?P<ids>{_SOME_USERS})"
        r"(?:,?\s+(?:too|also|as well),?)?\s+(?:from|in|aus|von)\b"
    ),
    re.compile(
        rf"\b(?:does|will|would|did|is|wird)\s+(?P<ids>{_ONE_USER})\s+(?:get|see|receive|assigned|be assigned)\b"
    ),
    re.compile(rf"\b(?:visits?|besuche?)\s+(?:of|by|for|from|von)\s+(?P<ids>{_ONE_USER})(?=\s|$|[,.;!?])"),
    re.compile(
        rf"(?:^|[.,;!?]\s*|\b(?:and|also|that|since|because|user|student)\s+)(?P<ids>{_SOME_USERS})\s+(?:(?:has|have)\s+)?(?:now\s+)?"
        r"(?:joined|belongs? to|is (?:now )?(?:in\b|a (?:member|student|pupil) of|part of|at\b)|are (?:now )?in\b"
        r"|moved|moves|switched|changed|transferred|works? (?:now )?in|goes to|attends|comes from|is from|gehort zu"
        r"|ist (?:jetzt )?in)\s+(?:now\s+)?(?:to\s+|over to\s+|into\s+)?(?:the\s+|a\s+|der\s+)?(?:group|school|class"
        r"|teacher|instructor|section|course|district|schule|klasse|\w+id\b)"
    ),
    re.compile(
        rf"\b(?:move|transfer|switch)\s+(?P<ids>{_ONE_USER})\s+(?:over\s+)?(?:to|into|from)\s+(?:the\s+)?(?:group|school|class|section"
        r"|course|\w+id\b)"
    ),
    re.compile(
        rf"\b(?:let|allow|keep|have|bar|ban|block)\s+(?P<ids>{_SOME_USERS})\s+(?:also\s+)?(?:to\s+)?"
        r"(?:take part|join|in\b|out\b|participate|from\b)"
    ),
    re.compile(
        rf"(?:^|[.,;!?]\s*|\b(?:and|also)\s+)(?P<ids>{_SOME_USERS})\s+(?:should|must|may|can|shall|is|are)\s+"
        r"(?:also\s+|not\s+|no longer\s+|allowed to\s+)*(?:to\s+)?"
        r"(?:be (?:in|on|excluded|included|left out)|take part|join|participate|stay out)\b"
    ),
    re.compile(rf"\blists?\b[^.;!?\n]{{0,60}}\bneeds?\s+(?P<ids>{_SOME_USERS})\s*(?:$|[.!?]|too\b|as well\b)"),
    re.compile(rf"\b(?:bekommt|erhalt|kriegt)\s+(?P<ids>{_ONE_USER})\s+(?:in|im|bei|an|am)\b"),
    re.compile(
        rf"\b(?:mark|log|record|note|markiere|vermerke)\s+(?:that\s+|dass\s+)?(?P<ids>{_ONE_USER})\s+"
        r"(?:was|as|at|has|visited|reached|saw|war|bei|als)\b"
    ),
)
_ANY_GROUP = re.compile(r"\b(?:group|gruppe)\s+(?:called\s+|named\s+|id\s+)?[\"'“‘]?(?P<id>\w[\w.-]*)")
_MORE_WORDS = re.compile(
    r"(?:\s*(?:,\s*and|,|and|und|&)\s*(?!(?:exclude|include|start|stop|at|in|with|the|user|students?|class|school)(?![\w-]))"
    r"\w[\w.-]*(?=\s*(?:$|[,.;!?]|(?:from|off|in|of|on|and|und|as|please)\b)))+"
)
_MORE_IDS = re.compile(r"(?:\s*(?:,\s*and|,|and|und|&)\s*(?=[\w.-]*\d|\w+-\w|[A-Z]{1,3}\b)\w[\w.-]*)+")
_ENDS_ID = re.compile(
    r"\s*(?:$|[,.;!?]|(?:from|off|out|in|of|on|to|and|too|also|as|please|should|must|may|can|join|joins|take|takes|is|are|be|now|there|here|aus|von|und|auch|bitte)\b)"
)


def users_named(saying: Saying, kept: Sequence[Stretch], *, loose: bool) -> list[str]:
    """The ids of users that a message names; with `loose` also words that only look like ids: `stu-12`."""
    found = dict.fromkeys(id for row in rows_of_users(saying, kept) for id in row.ids)
    if loose and not found:
        for raw in saying.raw:
            said = raw.text.strip(".")
            if _ID_LIKE.match(said) and not _NO_ID.match(said) and not covered(raw, kept):
                found[said] = None
    return list(found)


@dataclass(frozen=True, slots=True)
class UsersNamed:
    """Ids of users that stand in a row, and where."""

    ids: tuple[str, ...]
    start: int
    end: int


def rows_of_users(saying: Saying, kept: Sequence[Stretch]) -> list[UsersNamed]:
    """The ids of users that stand behind a word for users, and those that only their place marks as such."""
    folded = fold_keeping_places(saying.text)
    rows = (_row(saying, folded.end(match.end()), kept) for match in _USERS.finditer(folded.text))
    return [*(row for row in rows if row is not None), *_bare_rows(saying, kept), *_bulleted(saying, kept)]


def _bulleted(saying: Saying, kept: Sequence[Stretch]) -> list[UsersNamed]:
    """Ids on lines of their own: "exclude these students:" with one behind each bullet."""
    found = []
    for match in _BULLETED.finditer(saying.text):
        if USER.intersection(words_of(match["lead"])):
            for line in _BULLET.finditer(saying.text, match.start("lines"), match.end("lines")):
                place = Stretch(line.start("id"), line.end("id"))
                if (id := bare_id(line["id"])) and not covered(place, kept):
                    found.append(UsersNamed((id,), place.start, place.end))
    return found


def _row(saying: Saying, at: int, kept: Sequence[Stretch]) -> UsersNamed | None:
    """The ids that stand in a row from a place on; behind the first one only what can be an id goes on with it."""
    ids: list[str] = []
    start = end = at
    while (found := _id_at(saying, at, kept, first=not ids)) is not None:
        ids.append(found[0])
        end = found[1]
        joint = _AND.match(saying.text, end)
        if joint is None:
            break
        at = joint.end()
    return UsersNamed(tuple(ids), start, end) if ids else None


def _id_at(saying: Saying, at: int, kept: Sequence[Stretch], *, first: bool) -> tuple[str, int] | None:
    """The id that stands at a place, and where it ends."""
    quote = next((each for each in saying.quotes if each.start == at), None)
    if quote is not None:
        return None if covered(quote, kept) else (quote.text, quote.end)
    match = _WRITTEN.match(saying.text, at)
    said = bare_id(match[0]) if match is not None else ""
    if match is None or not said:
        return None
    end = at + match[0].index(said) + len(said)
    word = fold(said)
    if covered(Stretch(at, end), kept) or word in _NO_USER or word in GROUP or (first and word in USER):
        return None
    sure = first or _ID_LIKE.match(said) is not None or "@" in said
    return (said, end) if sure or (_may_be_user(said) and _ENDS_ROW.match(saying.text, end)) else None


def bare_id(written: str) -> str:
    """An id as it was written, without the quotes around it and the marks and the "'s" behind it; empty where nothing
    is left that could be one."""
    said = written.strip("'’‘`").rstrip(".:'’‘`")
    said = re.sub(r"['’]s\Z", "", said)
    said = said[1:] if re.fullmatch(r"#\d+", said) else said
    telling = any(each.isalnum() or unicodedata.category(each) == "So" for each in said)
    return said if telling else ""


def _bare_rows(saying: Saying, kept: Sequence[Stretch]) -> list[UsersNamed]:
    """Users whom only their place in the sentence marks as such: "put ann and ben on the exclusion list"."""
    folded = fold_keeping_places(saying.text)
    found = []
    for pattern in _USER_SLOTS:
        for match in pattern.finditer(folded.text):
            start, end = folded.places[match.start("ids")], folded.end(match.end("ids"))
            if covered(Stretch(start, end), kept):
                continue
            ids = [bare_id(part.strip('"“”')) for part in _AND.split(saying.text[start:end])]
            if ids and all(_may_be_user(id) for id in ids):
                found.append(UsersNamed(tuple(ids), start, end))
    return found


def _may_be_user(id: str) -> bool:
    words = words_of(id)
    if any(word.isdigit() or not word.isalpha() for word in words):
        return _ID_LIKE.match(id) is not None and not _NO_ID.match(id)
    return not any(word in COMMON or word in _NO_USER for word in words)


def groups_named(
    saying: Saying, types: Sequence[str], kept: Sequence[Stretch]
) -> tuple[list[tuple[str, str]], list[str]]:
    """The groups that a message names, as (type, id), and the types of groups that it speaks of.

    "school s1", "schoolId: s1", "in class 7b" name groups; "by school", "per schoolId" only a type. The type is empty
    where only "the group 7b" is said and there are several.
    """
    folded = fold_keeping_places(saying.text)
    groups: dict[tuple[str, str], None] = {}
    spoken: dict[str, None] = {}
    # "The whole school south" names a group where somebody is left out, and else only says how to assign.
    types_only = {"by", "per", "each", "every", "nach", "pro"}
    types_only |= set() if _SPEAKS_OF_LISTS.search(folded.text) else {"whole", "entire", "ganze"}
    for type in types:
        for form in _forms(type):
            for match in re.finditer(
                rf"(?<![\w-]){re.escape(form)}(?:\s+id)?\b(?P<rest>\s*(?:[=:]|is|called"
                rf"|named)?\s*[\"'“‘]?(?P<id>[\w][\w.-]*))?",
                folded.text,
            ):
                start = folded.places[match.start()]
                if covered(
                    Stretch(start, folded.end(match.end())), [one for one in kept if one.start <= start < one.end]
                ):
                    continue
                spoken[type] = None
                if match["id"]:
                    end = folded.end(match.end("id"))
                    id = saying.text[folded.places[match.start("id")] : end].strip(".")
                    before = folded.text[: match.start()].split()[-1:]
                    beside = bool(before) and before[0] in types_only
                    if not beside and _is_group_id(id, form, saying.text[end:]):
                        plural = (form.endswith("s") and form[:-1] in _forms(type)) or form.endswith("es")
                        more = (_MORE_WORDS if plural else _MORE_IDS).match(saying.text, end)
                        for each in (id, *(_AND.split(more[0])[1:] if more else ())):
                            groups[(type, each)] = None
    for match in _ANY_GROUP.finditer(folded.text):
        start, end = folded.places[match.start("id")], folded.end(match.end("id"))
        id = saying.text[start:end].strip(".")
        marked = any(c.isdigit() for c in id) or "-" in id or id[:1].isupper()
        known = fold(id) in COMMON or fold(id) in _NO_USER or any(fold(id) in _forms(type) for type in types)
        if marked and not known and not covered(Stretch(start, end), kept) and id not in (each for _, each in groups):
            groups[(types[0] if len(types) == 1 else "", id)] = None
    return list(groups), list(spoken)


def _forms(type: str) -> list[str]:
    """How users say a type of groups: `schoolId` is "schoolid" and "school"."""
    low = fold(type)
    bare = re.sub(r"[\s_-]*ids?$", "", low)
    german = {"school": "schule", "class": "klasse", "teacher": "lehrer"}
    plural = f"{bare}es" if bare.endswith("s") else f"{bare}s"
    return list(dict.fromkeys(form for form in (low, bare, plural, german.get(bare, "")) if form))


def _is_group_id(id: str, form: str, behind: str) -> bool:
    low = fold(id)
    if low in _NO_USER or low in COMMON or low in ("id", "level", "unit", "wide", "consistency", "type", "types"):
        return False
    marked = any(c.isdigit() for c in id) or form.endswith("id") or id[:1].isupper() or "-" in id or len(id) < 3
    return marked or _ENDS_ID.match(behind) is not None
