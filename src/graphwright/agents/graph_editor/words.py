"""Words of requests in the languages that code reads by itself: verbs of writing, signs of a question, opposites."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def listed(text: str) -> tuple[str, ...]:
    """The words of a text, between commas."""
    return tuple(" ".join(part.split()) for part in text.split(","))


WRITING = {
    "create": listed("""
        add, adds, added, create, creates, created, make, insert, register, record, open a, file a, new, set up, put,
        introduce, there is, there's, we have, enter, define, start, gets, get a, receives,
        erstelle, erstellen, anlegen, lege, leg, füge, hinzufügen, hinzu, neue, neuen, neuer, neues, erfasse, trage,
        eintragen, bekommt, ajoute, ajouter, ajoutez, crée, créer, nouveau, nouvelle, añade, agrega, crea, nuevo, nueva,
        追加, 作成, 作って, 作る, 登録, 新しい, 新規
    """),
    "connect": listed("""
        connect, connects, link, links, relate, assign, assigns, assigned, attach, hook up, give, hand, move,
        verbinde, verbinden, verknüpfe, verknüpfen, zuweisen, zugewiesen, weise, ordne, zuordnen, verlege,
        relie, connecte, attribue, assigne, conecta, asigna, vincula, mueve,
        接続, つなげ, 繋, 割り当て, 紐付け, リンク
    """),
    "update": listed("""
        update, updates, set, sets, change, changes, mark, rename, raise, lower, increase, decrease, close, reopen,
        resolve, edit, modify, correct, fix, adjust, should be, should have, is now, are now, make, bump, move, clear,
        unset, switch, turn, finish, reduce, now has,
        aktualisiere, ändere, ändern, setze, setz, markiere, schließe, schliesse, benenne, erhöhe, senke, korrigiere,
        stelle, modifie, mets, actualise, passe, cambia, actualiza, pon, marca,
        更新, 変更, 変え, 設定, 修正, 閉じ, にして, に変
    """),
    "delete": listed("""
        delete, deletes, remove, removes, drop, erase, unlink, disconnect, get rid, take out, purge, detach,
        wipe, unassign, clear, supprime, efface, enlève, retire, elimina, borra, quita,
        lösche, löschen, entferne, entfernen, trenne, weg, 削除, 消して, 消す, 外して, 取り除
    """),
}
"""What users say when they want a write, by kind, in English, German and Japanese, and some in French and Spanish."""

_ASKING = listed("""
    who, whom, whose, what, which, where, when, why, how, is, are, does, do, did, has, have, list, show, find, search,
    count, display, tell, get, look, give me, print, can you tell, any,
    wer, wen, wem, was, welche, welcher, welches, welchen, wo, wann, wie, warum, gibt, zeige, zeig, liste, finde, suche,
    nenne, ist, sind, hat, quel, quelle, quels, quelles, qui, combien, qué, quién, cuántos, cuántas, cuál, cuáles
""")
_ASKING_ANYWHERE = listed("一覧, 教えて, 表示, 見せて, どれ, 誰, 何, どこ, いつ, いくつ, 探して, 検索, ですか, ますか")

_ALL = listed("all, every, each, them, both, alle, allen, jede, jedes, jeden, beide, すべて, 全て, 全部, 全")
OFF = listed("off, false, inactive, disabled, unset, aus, falsch, inaktiv, オフ, 無効")
"""Words that say that something is not so."""

_DENYING = listed("""
    dont, doesnt, didnt, isnt, arent, wasnt, wont, cant,
    not, no, don't, doesn't, didn't, mustn't, shouldn't, isn't, aren't, wasn't, won't, can't, cannot, neither, without,
    nobody, nothing, none, never, lacks, missing, aucun, aucune, pas, sans, ningún, ninguna, sin,
    kein, keine, keinen, keinem, ohne, niemand, niemandem, nicht, niemals,
    ない, なし, ません
""")

SMALL = frozenset(
    listed("""
        a, an, the, and, or, but, if, then, than, so, as, at, by, for, from, in, into, of, off, on, onto, out,
        over, to, up, with, it, its, this, that, these, those, there, here, he, she, they, we, you, i, me, us,
        him, her, his, them, their, our, my, your, is, are, was, were, be, been, am, do, does, did, has, have,
        had, will, would, can, could, should, shall, may, must, now, also, too, just, only, please, pls, again,
        new, key, called, named, each, every, all, both, any, not, no, some, more, who, which, what, where,
        when, how, node, nodes, edge, edges, property, properties, der, die, das, den, dem, des, ein, eine,
        einen, einem, einer, und, oder, aber, von, vom, zu, zum, zur, im, auf, aus, bei, mit, für, ist, sind,
        war, wird, werden, hat, haben, er, sie, es, ihm, ihr, sein, ihre, bitte, jetzt, nun, auch, noch, nicht,
        ab, sofort, statt, neu, le, la, les, un, une, et, ou, de, du, au, aux, en, dans, est, sont, il, elle,
        son, sa, ses, te, s'il, plaît, avec, clé, pour, el, los, las, una, y, o, del, al, con, por, favor, está,
        ya, se, su, sus, ahora
    """)
)
"""Words that stand in every sentence and are no value of anything."""

OPPOSITES = tuple(
    (frozenset(listed(one)), frozenset(listed(other)))
    for one, other in (
        ("open, offen", "closed, resolved, done, geschlossen"),
        ("active, enabled, on, aktiv", "inactive, disabled, off, inaktiv"),
        ("high, hoch", "low, niedrig"),
        ("true, yes, ja", "false, no, nein"),
        ("public", "private"),
        ("online", "offline"),
        ("approved, accepted", "rejected, declined"),
        ("available", "unavailable"),
    )
)
"""States that a thing cannot have at the same time."""

STATES = tuple(
    (listed(verbs), frozenset(listed(states)))
    for verbs, states in (
        (
            "close, closes, resolve, schließe, schliesse, schließen, 閉じて, クローズ",
            "closed, resolved, done, geschlossen",
        ),
        ("reopen, open, öffne, öffnen, 再開", "open, reopened, offen"),
        ("finish, complete, erledige, abschließen, 完了", "done, finished, complete, completed, closed"),
        ("activate, enable, start, aktiviere, 有効", "active, enabled, started"),
        ("deactivate, disable, stop, deaktiviere, 無効", "inactive, disabled, stopped"),
        ("cancel, storniere, キャンセル", "cancelled, canceled"),
        ("approve, genehmige, 承認", "approved"),
        ("is over, ended, vorbei", "closed, done, finished"),
    )
)
"""Verbs, and the states that they put things into."""

STATE_WORDS = frozenset(word for _, words in STATES for word in words).union(*(one | two for one, two in OPPOSITES))
"""What says of itself that it is a state, whatever the property is called."""

STOPPING = frozenset(
    listed("""
        no, stop, cancel, leave it, leave it as it is, abort, forget it, nevermind, never mind, nothing, no thanks,
        no thank you, don't, do nothing, quit, nein, abbrechen, stopp, lass es, vergiss es, nichts,
        いいえ, やめて, キャンセル, 中止
    """)
)
"""Replies to a question that end the goal."""

QUOTED = re.compile(
    r"""["“”„«»「『]([^"“”„«»「」『』]{1,4000})["“”„«»」』]|(?<!\w)['‘’`]([^'‘’`]{1,4000})['’`](?!\w)"""
)
_POLITE = re.compile(
    r"(?:please\s+)?(?:can|could|would|will|kannst|könntest|würdest)\s+(?:you|we|du)\s+(?:please\s+|bitte\s+|also\s+|just\s+)*"
    r"(?P<verb>\w+)"
)
_POLITE_AT_END = re.compile(r"(?:kannst|könntest|würdest|können|könnten|würden)\s+(?:du|sie)\s.*?(?P<verb>\w+)\W*$")
_FORBIDDING = re.compile(r"(?:please\s+)?(?:do not|don't|do never|never)\b")
_SUPPOSING = re.compile(
    r"(?<!\w)(?:whether|if (?:i|you|we|one) (?:were|was|had|would|should|could)|what if|should i|shall i|not sure"
    r"|unsure|suppose|would it|ob (?:ich|wir)|falls (?:ich|wir)|was wäre|soll ich|sollte ich)(?!\w)"
)
_LEAVING_OPEN = re.compile(
    r"(?<!\w)(?:if|whether|unless|until|once|when|whenever|before|after|as soon as|provided|in case|except|would"
    r"|might|may|maybe|perhaps|could(?!\s+(?:you|we))|or|either|instead of|tomorrow|soon|later|eventually|again"
    r"|think|guess|believe|wonder|heard|wish|hope|wants?|wanted|says?|said|asks?|asked|wenn|falls|ob|sobald|bis|oder|vielleicht|morgen"
    r"|bald|später|würde|könnte(?!\s+du))(?!\w)"
)
_ADVERBS = r"(?:(?:also|both|all|now|safely|please|just|therefore|then|simply|finally|too|gerne|auch|jetzt)\s+)*"
_GOING = re.compile(
    r"(?<!\w)(?:"
    rf"(?:can|may|should|shall|must|has to|have to|needs? to|is to|are to|ought to)\s+{_ADVERBS}"
    rf"(?:be\s+{_ADVERBS}(?:deleted|removed|erased|dropped|purged|wiped)"
    r"|go(?=\s*(?:now|too|away|as well|entirely)?\s*(?:[.,;:!)]|$|\band\b)))"
    rf"|(?:is|are)\s+{_ADVERBS}(?:no longer|not)\s+(?:needed|required|wanted)(?:\s+any\s?(?:more|longer))?"
    rf"|(?:isn't|aren't)\s+{_ADVERBS}(?:needed|required|wanted)\s+any\s?(?:more|longer)"
    rf"|(?:kann|können|darf|dürfen|soll|sollen|muss|müssen)\s+{_ADVERBS}"
    r"(?:weg|[^.;!?]{0,60}?(?:gelöscht|entfernt)\s+werden)"
    r"|(?:wird|werden)\s+nicht\s+mehr\s+(?:gebraucht|benötigt)"
    r")(?!\w)"
)
"""What says without an order that something is to be deleted."""

_DELETING_NOT = re.compile(
    r"(?<!\w)(?:can|may|should|shall|must|has|have|needs?|is|are|kann|können|darf|dürfen|soll|sollen)\s+"
    r"(?:nicht|not|never)\b"
    r"|(?:can|should|must|need|is|are)n't\b|cannot\b|(?<!\w)(?:no|none|nothing|nobody|never|kein\w*|niemals)(?!\s+longer)\b"
)
_UNDOING = re.compile(r"(?<!\w)(?:undo|revert|roll(?:ed)? back|take (?:that|it) back|rückgängig)(?!\w)|取り消|元に戻")
_ENDING = re.compile(r"(?:ies|ied|ing|ments?|ers?|ed|es|s|e|y)$")
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)


MOST_KEPT = 10_000
"""Characters: what is made of a longer text is not kept, or a few of them would fill the memory."""


def plain(text: str) -> str:
    """The text for comparing: compatibility forms joined, case folded, blanks single."""
    return _plain(text) if len(text) <= MOST_KEPT else _plain.__wrapped__(text)


@lru_cache(maxsize=512)
def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").casefold().split())


def squeezed(text: str) -> str:
    """Letters and digits only: `john.doe`, `John Doe` and `JOHN_DOE` are the same."""
    return _squeezed(text) if len(text) <= MOST_KEPT else _squeezed.__wrapped__(text)


@lru_cache(maxsize=2048)
def _squeezed(text: str) -> str:
    return "".join(c for c in plain(text) if c.isalnum())


def tokens(text: str) -> list[str]:
    """The words of a text, plain."""
    return _TOKEN.findall(plain(text))


def has(text: str, word: str) -> bool:
    """Whether a word or phrase stands in the text, as whole words where the script has word breaks."""
    sought, where = plain(word), plain(text)
    if not sought.isascii() and not re.search(r"[a-zäöüß]", sought):
        return sought in where
    return sought in where and _whole(sought).search(where) is not None


@lru_cache(maxsize=1024)
def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")


@lru_cache(maxsize=256)
def writes_asked(text: str) -> frozenset[str]:
    """The kinds of writing for which the text has a word outside quotes: `create`, `connect`, `update`, `delete`."""
    bare = QUOTED.sub(" ", text)
    found = frozenset(kind for kind, words in WRITING.items() if any(has(bare, word) for word in words))
    return found | {"delete"} if lets_go(bare) else found


def lets_go(text: str) -> bool:
    """Whether a sentence of the text says that something is to be deleted without ordering it: "O-5 can be deleted".

    Not where it asks whether, or makes it depend on something.
    """
    return any(
        _GOING.search(part) is not None
        and not part.rstrip().endswith(("?", "？"))
        and not leaves_open(_GOING.sub(" ", part))
        and not _DELETING_NOT.search(_GOING.sub(" ", part))
        for part in re.split(r"(?<=[.!?;])\s+", plain(text))
    )


def going_at(text: str) -> tuple[int, int] | None:
    """Where the text has the words by which something is let go, as places of its plain form."""
    found = _GOING.search(plain(text))
    return None if found is None else found.span()


def leaves_open(text: str) -> bool:
    """Whether the text leaves open if, when or which: "if Ann agrees", "tomorrow", "or"; quotes apart."""
    return _LEAVING_OPEN.search(plain(QUOTED.sub(" ", text))) is not None


def is_question(text: str) -> bool:
    """Whether the text only asks: it begins like a question or ends like one."""
    polite = (form.match(plain(text)) for form in (_POLITE, _POLITE_AT_END))
    if any(found and writes_asked(found["verb"]) for found in polite) or _FORBIDDING.match(plain(text)):
        return False
    first = plain(text).split(" ", 1)[0].strip("¿¡\"'„“")
    begins = first in _ASKING or any(has(" ".join(tokens(text)[:3]), word) for word in _ASKING if " " in word)
    if any(w in text for w in _ASKING_ANYWHERE):
        return True
    return begins or (plain(text).rstrip(" \"'").endswith(("?", "？")) and not _orders_politely(plain(text)))


def _orders_politely(text: str) -> bool:
    """Whether a clause that is not the first asks for writing: "I have finished it, could you close it?"."""
    return any(
        writes_asked(found["verb"])
        for clause in re.split(r"(?:[,;:.!]|\band|\bund)\s+", text)[1:]
        for form in (_POLITE, _POLITE_AT_END)
        if (found := form.match(clause))
    )


def asks_somewhere(text: str) -> bool:
    """Whether any sentence of the text asks something."""
    return any(is_question(part) for part in re.split(r"(?<=[.!?。？])\s+|\n", text) if part.strip())


def is_stop(reply: str) -> bool:
    """Whether a reply ends the goal."""
    return plain(reply).strip(" .!。！") in STOPPING


def supposes(text: str) -> bool:
    """Whether the text only thinks of something: "if you were to close it", "I am not sure whether I should"."""
    return _SUPPOSING.search(plain(QUOTED.sub(" ", text))) is not None


def means_all(text: str) -> bool:
    """Whether the text is about all of something."""
    return any(has(text, word) for word in _ALL)


def denies(text: str) -> bool:
    """Whether the text speaks of something that is not there: "without an author", "nobody"."""
    return any(has(text, word) for word in _DENYING)


def wants_undo(text: str) -> bool:
    """Whether the text asks to take back what was done."""
    return _UNDOING.search(plain(QUOTED.sub(" ", text))) is not None


def opposites_in(text: str) -> tuple[str, str] | None:
    """Two words of the text that exclude each other, in the order in which they stand."""
    found = tokens(text)
    for one, other in OPPOSITES:
        first = next((t for t in found if t in one), None)
        second = next((t for t in found if t in other), None)
        if first and second:
            pair = sorted((first, second), key=found.index)
            return pair[0], pair[1]
    return None


def singular(word: str) -> str:
    """An English plural without its ending: labels stand in the singular."""
    for ending, kept in (("ies", "y"), ("ses", "s"), ("xes", "x"), ("s", "")):
        if len(word) > 3 and word.endswith(ending) and not word.endswith("ss"):
            return word[: -len(ending)] + kept
    return word


def forms(word: str) -> set[str]:
    """A word, and what it may be the plural of: "courses" of "course", "buses" of "bus"."""
    return {word, singular(word), word[:-1] if word.endswith("s") else word}


def same_stem(one: str, other: str) -> bool:
    """Whether two English words differ only in their ending: `close`, `closed`, `closing`."""
    if one == other:
        return True
    stem = _ENDING.sub("", one)
    return len(stem) >= 3 and _ENDING.sub("", other) == stem
