"""Replies of yes, no or stop, read from a closed list of phrases in several languages."""

from __future__ import annotations

import re

from graphwright.text.folding import normalised

__all__ = ["begins_with_yes", "read_yes_no"]

_AROUND = " \t\n.,;:!\"'`()[]#“”„«»‚‘’。、！"
"""Characters that are ignored before and after a choice."""


def bare(text: str) -> str:
    """The text folded, without the punctuation around it."""
    return normalised(text).strip(_AROUND)


_YES = """
yes|y|yep|yeah|yup|ok|okay|sure|of course|correct|right|agreed|go ahead|confirmed|yes please|please do|do it
fine|alright|all right|perfect|absolutely|definitely|certainly|approved|confirm|i confirm|i approve|i agree|go for it
that's fine|that's right|that's correct|that is correct|that is right|sounds good|looks good|looks right|works for me
fine by me|please go ahead|please proceed|proceed|exactly|yes exactly|make it so|let's do it|yes do it|yes do that
do that|please do that|please do so|that works|looks fine|looks great|all good|by all means|ship it|i'm sure|i am sure
go on
ja|j|jep|jo|klar|gerne|gern|genau|richtig|einverstanden|in ordnung|ja bitte|ja gerne|mach das|passt|passt so|das passt
stimmt|das stimmt|stimmt so|alles klar|alles richtig|bestätigt|bestätige|ja genau|natürlich|perfekt|nur zu
mach das so|so machen|bitte so machen|los geht's|leg los|legen sie los|machen sie das|mach es|sieht gut aus|genehmigt
freigegeben|ausführen|bitte ausführen|ich bin sicher
oui|d'accord|bien sûr|oui s'il vous plaît|entendu|parfait|c'est bon|c'est ça|allez-y|vas-y|exact|tout à fait
c'est parti|allons-y|on y va|faites-le|fais-le|je confirme|confirmé|volontiers|ça marche|ça me va
très bien|bien entendu
sí|si|claro|vale|de acuerdo|sí por favor|perfecto|correcto|está bien|adelante|exacto|confirmo|por supuesto
hazlo|hágalo|proceda|procede|muy bien|me parece bien|confirmado|que sí
certo|va bene|d'accordo|sì|sì grazie|graag|zeker|akkoord|ja graag|sim|tak|так|да|evet|نعم
はい|お願いします|はいお願いします|是|是的|好|好的|네|예
"""
_NO = """
no|n|nope|nah|no thanks|no thank you|never|not now|not yet|don't|do not|wrong|incorrect
nein|nee|ne|nein danke|nicht|noch nicht|nicht jetzt|lieber nicht|bitte nicht|falsch
non|non merci|pas encore|no gracias|todavía no|no grazie|non ancora|niet|liever niet|nog niet
nie|ні|нет|いいえ|いや|だめです|不|不是|不要|아니요|아니|não|hayır|لا
"""
_STOP = """
stop|stop it|cancel|cancel it|abort|quit|forget it|never mind|cancel that|stop that
stopp|halt|abbrechen|abbruch|vergiss es
arrête|annuler|annule|parar|cancelar|annulla|annuleren|стоп|отмена|やめて|やめてください|キャンセル|停止|取消|중지|취소
"""


def _phrases(text: str) -> frozenset[str]:
    return frozenset(bare(word) for line in text.split("\n") for word in line.split("|") if word)


YES, NO, STOP = _phrases(_YES), _phrases(_NO), _phrases(_STOP)
_SEPARATORS = re.compile(r"[,.!;、。]")
_MOST_WORDS = max(len(phrase.split()) for phrase in YES)


def read_yes_no(text: str) -> bool | None:
    """Return True if the whole reply, or each of its parts, is a listed yes; False for no and stop; else None."""
    said = " ".join(_words(text))
    parts = [said] if said in YES | NO | STOP else [bare(part) for part in _SEPARATORS.split(text) if bare(part)]
    if parts and all(part in YES for part in parts):
        return True
    return False if parts and all(part in NO or part in STOP for part in parts) else None


def says_stop(text: str) -> bool:
    """Whether the whole reply is a listed stop."""
    return " ".join(_words(text)) in STOP


def begins_with_yes(text: str) -> bool:
    """Whether a reply begins with a listed yes, and none of its parts (sentences, or between commas) is a no or stop.

    A longer reply can be consent only then. A yes after other words is not enough: "Do not send it. Yes, I mean it."
    """
    words = _words(text)
    if any(bare(part) in NO | STOP for part in _SEPARATORS.split(text)):
        return False
    return any(" ".join(words[:length]) in YES for length in range(1, min(_MOST_WORDS, len(words)) + 1))


def _words(text: str) -> list[str]:
    return _SEPARATORS.sub(" ", bare(text)).split()
