"""What stands around a stretch of a message: a negation before it, a comparison with an older amount."""

from __future__ import annotations

import re

from graphwright.runtime.reading.words import fold, vocabulary

_REACH = 60
_CLAUSE_END = re.compile(r"[,.;:!?\n()]|\s-\s")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")

NEGATIONS = vocabulary("""
    not no never none without neither nor hate dislike avoid dont doesnt didnt isnt arent wasnt wont wouldnt cant
    cannot shouldnt mustnt havent hasnt aint nicht kein keine keinen keinem keiner keines keins nie niemals ohne weder
    statt anstatt hasse vermeide pas sans non nada sin geen niet nessun nessuna
""")
_PLAIN_NOT = frozenset({"not", "nicht"})
# What may stand between a negation and what it negates: `I don't want any LED`, `not really an LED`.
_BETWEEN = vocabulary("""
    a an the any really exactly about to be of on in at for with my our your this that these those want wants
    need needs have has use like take get require actual kind sort type ein eine einen einem einer eines der die
    das den dem mehr wirklich unbedingt brauche brauchen will wollen mochte mochten gerne gern auf in im fur mit
    zu inside into within near from by bei von vom ins am an aus furs innerhalb
""")
_BEHIND = vocabulary("""
    i we you is it will would ich wir du sie will wollen mochte mochten mag mogen brauche brauchen ist bitte
    lieber das auch auf keinen fall nehme nehmen haben habe
""")

_COMPARED_BEHIND = vocabulary("""
    more less fewer additional extra higher lower bigger smaller longer shorter mehr weniger zusatzlich hoher
    niedriger langer kurzer
""")
_COMPARED_BEFORE = vocabulary(
    "another additional extra add plus weitere weiteren weiterer zusatzlich zusatzliche zusatzlichen noch"
)
_CHANGE = re.compile(
    r"\b(?:increas|rais|reduc|decreas|lower|add|cut|extend|shorten|erhoh|senk|reduzier|kurz|verlanger|verring|steiger)\w*\b.*\b(?:by|um)\s*$"
)
_MULTIPLE = re.compile(
    r"\b(?:twice|double|triple|quadruple|half\s+(?:as|of|the|that)|(?:\w+\s)?times\s+(?:as|the|more)|doppelt|dreifach|vierfach"
    r"|verdoppel\w*|halbier\w*|halb\s+so|die\s+halfte|\w+mal\s+so|mal\s+so|more|less|fewer|mehr|weniger)\b"
)


def is_negated(message: str, start: int, end: int, *, closely: bool = False) -> bool:
    """Whether a negation stands directly before `message[start:end]` in the same clause (`not`, `kein`, `don't want`).

    `nicht` at the end of the clause counts too (`LED will ich nicht`). With `closely` only a bare `not` or `nicht`
    right in front counts: what follows `no` may well be the answer (`no peanuts`).
    """
    before = _CLAUSE_END.split(fold(message[max(0, start - _REACH) : start]))[-1]
    words = [word.replace("'", "") for word in _WORD.findall(before)]
    if closely:
        return bool(words) and words[-1] in _PLAIN_NOT
    for word in reversed(words[-4:]):
        if word in NEGATIONS:
            return True
        if word not in _BETWEEN:
            break
    if before.rstrip().endswith(("instead of", "rather than", "other than", "except", "but not")):
        return True
    if re.search(r"\b(?:anything|everything|nothing|all|alles|nichts) (?:but|except|ausser) *$|\bausser *$", before):
        return True
    behind = _CLAUSE_END.split(fold(message[end : end + _REACH]))[0]
    if re.match(r"\s*(?:is|are|ist|sind)?\s*(?:out of the question|ausgeschlossen|not an option)", behind):
        return True
    for at, word in enumerate(following := _WORD.findall(behind)):
        if word == "nicht":
            return at == len(following) - 1
        if word not in _BEHIND:
            break
    return False


def is_relative(message: str, start: int, end: int) -> bool:
    """Whether the amount `message[start:end]` is added to or taken from an older one (`50 more`, `um 50 erhöhen`)."""
    behind = _WORD.findall(_CLAUSE_END.split(fold(message[end : end + _REACH]))[0])
    before = _CLAUSE_END.split(fold(message[max(0, start - _REACH) : start]))[-1]
    ahead = _WORD.findall(before)
    if behind and behind[0] in _COMPARED_BEHIND:
        return True
    if ahead and ahead[-1] in _COMPARED_BEFORE:
        return True
    if (
        ahead
        and ahead[-1] == "um"
        and any(re.match("erhoh|senk|reduzier|kurz|verlanger|verring|steiger", w) for w in behind[:3])
    ):
        return True
    return _CHANGE.search(before) is not None


def is_multiple(quote: str) -> bool:
    """Whether `quote` compares without naming an amount of its own: `twice as much`, `doppelt so viel`, `more`."""
    return _MULTIPLE.search(fold(quote[:1000])) is not None
