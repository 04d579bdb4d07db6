"""Plain yes and no: read by code from closed vocabularies, and nothing that says more than that."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum

from graphwright.runtime.reading.words import fold, is_typo_of, phrases, vocabulary

_LONGEST_REPLY = 200


class _Part(Enum):
    YES = "yes"
    NO = "no"
    POLITE = "polite"
    DEED = "deed"
    NOT = "not"


# All vocabularies are folded: no accents, no apostrophes (`don't` is `dont`), ß is ss.
_YES = phrases("""
    yes, y, yep, yup, yeah, yea, ya, aye, ok, okay, okey, okey dokey, k, kk, oki, sure, sure thing, of course,
    correct, right, exactly, indeed, absolutely, definitely, certainly, affirmative, agreed, i agree, confirmed,
    confirm, approved, i confirm, i approve, approve, accepted, accept, i accept, perfect, great, fine, good,
    thats fine, that is fine, alright, all right, all good, looks good, looks right, looks good to me, looks
    correct, it looks good, lgtm, sounds good, sounds great, thats right, that is right, its right, it is right, thats
    correct, that is correct, this is correct, everything is correct, its correct, it is correct, by all means,
    no problem, no problem at all, no objection, no objections, why not, i do, i am, it is, it does, we do, we are,
    yes indeed, for sure, thats it, that works, works for me, that works for me, fine by me, fine with me, ok with me,
    ok for me, you bet, totally, very well, very good, i would, i would like that, id like that, id love to, i want
    that, i want this, with pleasure, gladly, positive, ja, j, jaa, jep, jepp, jo, joa, jup, jawohl, jawoll,
    jaja, jap, klar, na klar, aber klar, alles klar, na gut, gut, sehr gut, genau, passt, das passt, passt so,
    passt schon, passt gut, stimmt, das stimmt, stimmt so, stimmt genau, richtig, das ist richtig, das ist
    korrekt, korrekt, in ordnung, geht in ordnung, einverstanden, naturlich, naturlich gerne,
    selbstverstandlich, sicher, aber sicher, auf jeden fall, unbedingt, gern, gerne, sehr gern, sehr gerne,
    liebend gern, von mir aus, warum nicht, kein problem, keine einwande, freilich, prima, super, perfekt, ja
    doch, sieht gut aus, gute idee, klaro, logisch, bestatigt, ich bestatige, das will ich, das mochte ich, oui,
    ouais, ouip, daccord, d accord, bien sur, bien entendu, volontiers, parfait, exact, exactement,
    certainement, absolument, pas de probleme, cest ca, cest bon, si, claro, claro que si, vale, por supuesto,
    de acuerdo, correcto, exacto, desde luego, perfecto, sin problema, certo, certo che si, certamente, va bene,
    daccordo, esatto, perfetto, volentieri, nessun problema, corretto, jazeker, jawel, zeker, zeker weten,
    graag, klopt, dat klopt, akkoord, natuurlijk, tuurlijk, geen probleem, prima zo, はい, うん, ええ, そうです,
    お願いします, はいお願いします, 了解です, オーケー
""")
_NO = phrases("""
    no, n, nope, nop, nah, nay, noo, no way, no thanks, no thank you, thanks but no thanks, never, not now, not
    yet, not really, not at all, not today, of course not, certainly not, absolutely not, definitely not, surely
    not, better not, rather not, id rather not, i would rather not, please not, negative, no chance, not a
    chance, wrong, incorrect, false, thats wrong, that is wrong, this is wrong, it is wrong, i disagree,
    disagree, rejected, reject, i dont, i do not, i am not, im not, it isnt, it is not, it doesnt, it does not,
    we dont, we do not, thats not right, that is not right, thats not correct, that is not correct, thats
    incorrect, that is incorrect, i refuse, cancel, cancel it, cancel that, stop, stop it, stop that, abort,
    forget it, i would not, i wouldnt, under no circumstances, not ok, not okay, not correct, not right, not
    good, not fine, not agreed, not that, nein, ne, nee, noe, nicht, nix, niemals, nie, nie und nimmer, lieber
    nicht, besser nicht, bitte nicht, noch nicht, nicht jetzt, jetzt nicht, jetzt noch nicht, heute nicht, eher
    nicht, nicht wirklich, auf keinen fall, auf gar keinen fall, keinesfalls, keineswegs, keine chance,
    naturlich nicht, sicher nicht, bestimmt nicht, gar nicht, uberhaupt nicht, falsch, das ist falsch, stimmt
    nicht, das stimmt nicht, passt nicht, das passt nicht, das ist nicht richtig, nicht richtig, nicht korrekt,
    nicht gut, nicht in ordnung, nicht einverstanden, mochte ich nicht, das mochte ich nicht, will ich nicht,
    das will ich nicht, abbrechen, abbruch, stopp, kommt nicht in frage, nein danke, non, non merci, pas encore,
    pas du tout, surtout pas, jamais, pas maintenant, bien sur que non, certainement pas, pas daccord, no
    gracias, claro que no, todavia no, aun no, nunca, jamas, por supuesto que no, en absoluto, para nada, ahora
    no, no grazie, non ancora, certo che no, assolutamente no, per niente, non adesso, niet, nog niet, liever
    niet, zeker niet, natuurlijk niet, absoluut niet, nooit, nu niet, in geen geval, klopt niet, dat klopt niet,
    echt niet, いいえ, いや, だめです, やめて, やめてください, いいえやめてください, キャンセル
""")
_POLITE = phrases("""
    please, pls, plz, thanks, thank you, thank you very much, thanks a lot, many thanks, thx, ty, cheers, sir,
    madam, maam, kindly, very much, so much, oh, ah, hm, hmm, mhm, well, hi, hello, hey, now, then, bitte,
    danke, dankeschon, vielen dank, danke schon, danke sehr, bitteschon, bitte schon, bitte sehr, besten dank,
    ach, na, also, hallo, dann, merci, merci beaucoup, sil vous plait, sil te plait, svp, stp, gracias, muchas
    gracias, por favor, grazie, grazie mille, per favore, per piacere, dank je, dank u, dankjewel, bedankt,
    alsjeblieft, alstublieft, aub
""")
# What is asked to be done, or, behind a negation, not to be done.
_DEED = phrases("""
    do, do it, do that, do so, do this, do send it, go, go ahead, go for it, go on, proceed, continue, carry on,
    send it, send that, send, send it off, send it out, send it now, ship it, please do, make it so, confirm it,
    confirm that, approve it, approve that, submit it, submit, save it, please do it, please do that, please
    do this, lets do it, lets do that, lets go, lets do this, do go ahead, run it, delete it, book it, order it,
    apply it, accept it, place it, mach das, mach
    es, mach mal, machs, machen sie das, machen sie es, mach weiter, weiter, weiter so, leg los, los, los gehts,
    nur zu, schick es, schick es ab, abschicken, abschicken bitte, absenden, senden, schicken sie es, schicken
    sie es ab, senden sie es, sende es, sende es ab, tu es, tun sie es, mach ruhig, nur los, so machen,
    losschicken, vas y, vasy, allez y, allezy, envoyez, envoie, adelante, hazlo, envialo, mandalo, procedi,
    fallo, invia, invialo, avanti, doe maar, ga door, ga je gang, verstuur
""")
_DEED |= {(link, *deed) for deed in _DEED for link in ("and", "und")}
_NOT = phrases("dont, do not, not, nicht, bitte nicht, please dont, please do not, niet")
_VOCABULARY: dict[tuple[str, ...], _Part] = {}
for _part, _table in (
    (_Part.DEED, _DEED),
    (_Part.POLITE, _POLITE),
    (_Part.YES, _YES),
    (_Part.NO, _NO),
    (_Part.NOT, _NOT),
):
    _VOCABULARY.update(dict.fromkeys(_table, _part))
_LONGEST_PHRASE = max(map(len, _VOCABULARY))

# Single words a slip of the fingers may stand for. Short ones only by doubled or swapped letters: `yes` is one
# replaced letter from `yet`, `nein` from `neun`, and a wrong yes releases an action.
_SLIPS_MEANT = vocabulary("""
    yes yep yeah yup okay sure correct right exactly definitely absolutely certainly confirm confirmed agreed
    perfect please thanks ja jep jawohl klar genau passt stimmt richtig korrekt naturlich selbstverstandlich
    einverstanden gerne bitte danke no nope nein niemals cancel never oui claro graag
""")
# Words of their own that are one slip away from a word above.
_NOT_SLIPS = vocabulary("""
    past paste passe pass passte conform cure pure noon genua genug rights stimme stimmen neuer nie nun sue suer
    use eyes yet yen year years on now not jahr jain jein naja nun incorrect imperfect inexact gern clever fever
    confirms corrects concert conceal cancer angel seldom bitter bitten panke dank tanks gerade ganz
""")

_SIGNS = {
    **dict.fromkeys("👍✅✔👌☑🙆", " yes "),
    **dict.fromkeys("👎❌✖🚫🛑🙅", " no "),
    **dict.fromkeys("🙏🙂😊😀😃😄☺😁🎉", " please "),
}
_SKIN_TONES = "🏻🏼🏽🏾🏿"
_WORD = re.compile(r"[^\W_]+")


def read_yes_no(text: str) -> bool | None:
    """Whether `text` is a plain yes (True) or a plain no (False); None when it is neither or says more than that.

    English and German, with the commonest words of French, Spanish, Italian and Dutch, thumbs and ticks, politeness
    around them and slips of the fingers. Every word must belong to a closed vocabulary: a number, a condition, a
    question or any other content makes the answer None, because a wrong yes releases an action.
    """
    if len(text) > _LONGEST_REPLY:
        return None
    marked = "".join(_SIGNS.get(c, "" if c in _SKIN_TONES else c) for c in text)
    if any(_says_more(c) for c in marked):
        return None
    words = _WORD.findall(fold(marked).replace("'", ""))
    parts = _parts_of([_unslipped(word) for word in words])
    if parts is None:
        return None
    return _verdict([part for part in parts if part is not _Part.POLITE])


# Deeds that only some questions are about, and the beginnings of words by which a question speaks of them.
_OF_ITS_OWN = {
    "delete": ("delet", "remov", "eras", "losch", "entfern"),
    "run": ("run", "start", "execut", "launch", "simulat", "perform"),
    "book": ("book", "reserv", "appoint"),
    "order": ("order", "buy", "purchas", "bestell"),
    "place": ("place", "placing", "order"),
    "save": ("sav", "stor", "creat", "add", "keep", "record"),
    "ship": ("ship", "send", "deliver"),
}


def answers_question(text: str, question: str) -> bool | None:
    """`read_yes_no` of a reply to a question: "delete it" agrees to a deletion, and to nothing else.

    "Yes, delete T-1" says the same where T-1 is the only thing of its kind that the question names.
    """
    answer = read_yes_no(text)
    if answer is None:
        answer = read_yes_no(_unnamed(text, question))
    if answer is not True:
        return answer
    asked = _WORD.findall(fold(question).replace("'", ""))
    for word in _WORD.findall(fold(text).replace("'", "")):
        beginnings = _OF_ITS_OWN.get(word)
        if beginnings is not None and not any(other.startswith(beginnings) for other in asked):
            return None
    return True


_KEY = re.compile(r"\b([^\W\d_]{1,20})([-_ ]?)(\d{1,10})\b")


def _unnamed(text: str, question: str) -> str:
    """The reply with "it" for the key that it repeats; as it is where the question names several of that kind."""
    said = {key.casefold() for _, _, key in _KEY.findall(text)}
    kinds = {kind.casefold() for kind, _, _ in _KEY.findall(text)}
    asked = {key for kind, _, key in _KEY.findall(question) if kind.casefold() in kinds}
    return _KEY.sub("it", text) if len(kinds) == len(said) == 1 and said == asked else text


def _says_more(character: str) -> bool:
    """A question mark in any script, a digit, a currency, or a picture nobody has given a meaning to."""
    if character in "?¿؟？⁉‽%#@=<>" or character.isnumeric():
        return True
    return unicodedata.category(character) in {"So", "Sc", "Cn", "Co", "Cs"}


def _unslipped(word: str) -> str:
    if (word,) in _VOCABULARY or word in _NOT_SLIPS or len(word) > 30:
        return word
    meant = {target for target in _SLIPS_MEANT if _is_slip(word, target)}
    kinds = {_VOCABULARY[(target,)] for target in meant}
    return min(meant) if len(kinds) == 1 else word


def _is_slip(word: str, target: str) -> bool:
    if _undoubled(word) == _undoubled(target) and len(word) > len(target):
        return True
    if len(target) < 5:
        swapped = len(word) == len(target) >= 3 and sorted(word) == sorted(target) and word[0] == target[0]
        return swapped
    return is_typo_of(word, target)


def _undoubled(word: str) -> str:
    return re.sub(r"(.)\1+", r"\1", word)


def _parts_of(words: list[str]) -> list[_Part] | None:
    """The reply as parts, longest phrases first; None when a word belongs to no phrase."""
    parts = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
            part = _VOCABULARY.get(tuple(words[at : at + length]))
            if part is not None:
                parts.append(part)
                at += length
                break
        else:
            return None
    return parts


def _verdict(said: Sequence[_Part]) -> bool | None:
    """One answer out of the parts, or None when they contradict one another."""
    answers: set[bool] = set()
    at = 0
    while at < len(said):
        part, following = said[at], said[at + 1] if at + 1 < len(said) else None
        if part is _Part.NOT:
            # `not no` and `not sure` are no answers; `do not send it` is one.
            if following in (_Part.YES, _Part.NO, _Part.NOT):
                return None
            answers.add(False)
            at += 1 if following is None else 2
            continue
        if part is _Part.DEED and following is _Part.NOT and at + 2 == len(said):
            # German puts the negation behind: `mach das nicht`.
            answers.add(False)
            break
        answers.add(part in (_Part.YES, _Part.DEED))
        at += 1
    return answers.pop() if len(answers) == 1 else None
