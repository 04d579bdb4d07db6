"""Yes, no and stop: closed lists in a few languages, and what a reply to a confirmation may count as."""

from __future__ import annotations

import re

from graphwright.runtime.answers.options import bare

_YES = """
yes|y|yep|yeah|ok|okay|sure|of course|correct|right|agreed|go ahead|confirmed|yes please|please do|do it
ja|j|jep|klar|gerne|gern|genau|richtig|einverstanden|in ordnung|ja bitte|ja gerne|mach das
oui|d'accord|bien sûr|oui s'il vous plaît|sí|si|claro|vale|de acuerdo|sí por favor
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


def _listed(text: str) -> frozenset[str]:
    return frozenset(bare(word) for line in text.split("\n") for word in line.split("|") if word)


YES, NO, STOP = _listed(_YES), _listed(_NO), _listed(_STOP)
_LONGEST = max(len(phrase.split()) for phrase in YES)


def read_yes_no(text: str) -> bool | None:
    """True where the whole reply is a listed yes, False where all of its parts are a listed no or stop; else None."""
    said = " ".join(_words(text))
    if said in YES:
        return True
    if said in NO or said in STOP:
        return False
    parts = [bare(part) for part in re.split(r"[,.!、。]", text) if bare(part)]
    return False if parts and all(part in NO or part in STOP for part in parts) else None


def begins_with_yes(text: str) -> bool:
    """Whether the first words of a reply are a listed yes: a longer reply can be consent only then."""
    words = _words(text)
    return any(" ".join(words[:length]) in YES for length in range(1, min(_LONGEST, len(words)) + 1))


def _words(text: str) -> list[str]:
    return re.sub(r"[,.!、。]", " ", bare(text)).split()
