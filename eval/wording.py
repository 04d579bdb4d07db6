"""The statements of an answer, by rules on its words: facts, claims, numbers, refusals, and its language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from graphwright.text.numerals import Numeral, numerals, plain_digits

_LETTER = r"0-9A-Za-z\u00c0-\u024f"

_NO = r"(?:not|no|none|never|cannot|\w+n't|nicht|kein\w*|pas|aucune?|non|ni|ning[uú]n\w*|sin|tampoco)"

_KNOWS = {
    "en": "find found say state mention contain cover give document available record possible include have list specif "
    "there appear describe answer provide know tell exist has explain hold",
    "de": "finden gefunden enthalten erwähn genannt angegeben dokumentier bekannt verfügbar vorhanden beantwort möglich"
    " beschrieben aufgeführt hervor verschick senden schicken lässt",
    "fr": "trouv contien mention indiqu précis figur permet permett peu dispos comport couvr appara existe répond donn "
    "aborde parle possible supprim prouv démontr expliqu dit sait sais vois",
    "es": "hay encontr encuentr contien menciona dice indica aparec consta existe incluye puedo puede posible figura "
    "demuestra prueba tien especifica habla permite describe trae aborda explica está da sé",
}
"""The beginnings of words that a refusal negates."""

_REFUSES = re.compile(
    r"\b(?:nothing|no such|not in th|unable|impossible|unknown|can ?not|can't|(?:is|are|was|were|has|have|there's) no\b"
    r"|no (?:\w+ ){0,3}?(?:column|information|entr|data|record|mention|source)"
    r"|no (?:\w+ ){1,3}?(?:was|were|is|are|has)\b"
    r"|(?:found?|finds?|gives?|contains?|states?|mentions?|shows?|lists?|holds?|includes?|see|know) (?:no|nothing)\b"
    rf"|(?:not|\w+n't|nor|neither) (?:\w+ ){{0,4}}?(?:{'|'.join(_KNOWS['en'].split())})"
    r"|nichts|fehl(?:t|en)\b|kein(?:e|en|er|em|es)?\b|unbekannt|unmöglich|nicht in d"
    r"|(?:kann|lässt sich|konnten?|können|steht|stehen|nennt|sagt|geht|gehen|enthält|enthalten) (?:\w+ ){0,6}?nicht"
    rf"|nicht (?:\w+ ){{0,4}}?(?:{'|'.join(_KNOWS['de'].split())})"
    r"|rien\b|introuvable|aucune?\b|n'y a pas|n'a(?:i|ont)? pas|n'est pas"
    rf"|n(?:e |')(?:\w+ )?(?:{'|'.join(_KNOWS['fr'].split())})\w* (?:\w+ )?pas"
    r"|nada\b|ning[uú]n|imposible|desconocid"
    rf"|no (?:\w+ ){{0,3}}?(?:{'|'.join(_KNOWS['es'].split())}))"
)
"""Words in an `even` answer that mean that there is nothing, or that it cannot be done."""

_UNSURE = re.compile(rf"\b{_NO}\b[^.;\n]{{0,40}}(?:signifi|differ|unterschied|diff[ée]ren|diferenc)", re.IGNORECASE)
_SURE = re.compile(
    r"signifi[ck]|\b(?:not|un\w+|nicht|no|pas)\b[^.;\n]{0,30}(?:chance|zuf[aä]ll|hasard|azar)|\bp\s*<\s*0?[.,]0",
    re.IGNORECASE,
)

_LANGUAGES: Mapping[str, str] = {
    "en": "the of is and to in that for with was are it on this not has by from at no there be which any were does",
    "de": "der die das und ist nicht ein eine von zu mit den im für auf dem sind wurde es keine hat bei nach sich aus",
    "fr": "le la les et est de en à des une un du pas dans pour que qui sur par il au avec ne sont été était ce se",
    "es": "el la los las y es de que en un una no por con para se del su lo como está fue son hay al más este",
}
_FEWEST_WORDS = 4


class Fact(BaseModel):
    """A fact in any of its spellings; with `near`, in a sentence that also has one of these pieces."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    any: tuple[str, ...] = Field(min_length=1)
    near: tuple[str, ...] = ()

    def stands_in(self, text: str) -> bool:
        parts = sentences(text) if self.near else [even(text)]
        return any(
            (not self.near or any(even(piece) in part for piece in self.near))
            and any(says(part, spelling) for spelling in self.any)
            for part in parts
        )


class Claim(BaseModel):
    """A forbidden statement: a regular expression, found in a sentence without any of the pieces `unless`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    says: str
    unless: tuple[str, ...] = ()

    def stands_in(self, text: str) -> bool:
        claim = re.compile(self.says, re.IGNORECASE)
        return any(
            claim.search(part) and not any(even(piece) in part for piece in self.unless) for part in sentences(text)
        )


def even(text: str) -> str:
    """A text for comparisons: one form of blanks, dashes, decimals and powers of ten; without Markdown and case."""
    plain = unicodedata.normalize("NFKC", text).translate(str.maketrans("‐‑–—−’", "-----'"))
    plain = re.sub(r"[*`]|__+", "", plain)
    plain = re.sub(r"(?<=\d)\s*(?:[·×x⋅]|\\times)\s*10\s*\^?\s*\{?(-?\d+)\}?", r"e\1", plain)
    plain = re.sub(r"(?<=\d),(?=\d)", ".", plain)
    return "\n".join(" ".join(line.split()) for line in plain.casefold().splitlines())


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, each processed by `even`."""
    return [part for part in re.split(r"(?<=[.!?;])\s+|\n+", even(text)) if part]


def says(part: str, spelling: str) -> bool:
    """Whether an `even` text has this spelling, as a separate word; a `*` at its end means any ending."""
    words = re.escape(even(spelling.removesuffix("*")))
    words = re.sub(r"(?<=\d)\\ ", r"\\s*", words)
    end = r"" if spelling.endswith("*") else rf"(?![{_LETTER}])(?!\.\d)"
    words = rf"(?<![{_LETTER}])(?<!\d\.){words}{end}"
    return re.search(words, part) is not None


def refuses(text: str) -> bool:
    """Whether an answer says that there is nothing, or that something cannot be done."""
    return _REFUSES.search(even(text)) is not None


def concludes(text: str) -> bool | None:
    """Whether an answer calls a difference significant; None if it does not say."""
    plain = even(text)
    return False if _UNSURE.search(plain) else True if _SURE.search(plain) else None


def language(text: str) -> str:
    """The language of most of the small words: `en`, `de`, `fr` or `es`; empty if it is unclear."""
    words = re.findall(r"[^\W\d_]+", even(text))
    counts = {name: sum(word in known.split() for word in words) for name, known in _LANGUAGES.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= _FEWEST_WORDS and list(counts.values()).count(counts[best]) == 1 else ""


def folded(name: str) -> tuple[str, str]:
    """A name without case and accents, with umlauts as one letter and as two."""
    one = unicodedata.normalize("NFKD", name.casefold().replace("ß", "ss"))
    two = name.casefold().translate({ord(a): b for a, b in zip("äöüß", ("ae", "oe", "ue", "ss"), strict=True)})
    both = (one, unicodedata.normalize("NFKD", two))
    first, second = ("".join(c for c in each if not unicodedata.combining(c)) for each in both)
    return " ".join(first.split()), " ".join(second.split())


def places(text: str, name: str) -> Iterator[tuple[int, int]]:
    """The places of a name in a folded text, as a separate word."""
    for spelling in dict.fromkeys(folded(name)):
        for match in re.finditer(rf"(?<![a-z0-9]){re.escape(spelling)}(?![a-z0-9])", text):
            yield match.span()


_SCALES: Sequence[tuple[str, float]] = (
    (r"milliard\w*|billions?\b|bn\b|mrd\b|md\b|mil millones\b", 1e9),
    (r"million\w*|millón|millones|mio\b|mln\b|m\b", 1e6),
    (r"thousand\b|tausend\b|tsd\b|mille\b|mil\b|k\b", 1e3),
)


_COUNTS: Mapping[str, str] = {
    word: str(number)
    for row in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "deux trois quatre cinq six sept huit neuf dix onze douze",
        "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, word in enumerate(row.split(), 2)
}


def in_digits(text: str) -> str:
    """A text with the words for numbers from two to twelve as digits."""
    return re.sub(r"[^\W\d_]+", lambda word: _COUNTS.get(word[0].casefold(), word[0]), text)


def numbers(text: str) -> Iterator[tuple[Numeral, set[float]]]:
    """The numbers of a text, each with its possible values: with `million` after it, or as a percentage."""
    shown = plain_digits(text)
    for numeral in numerals(shown):
        behind = shown[numeral.start + len(numeral.text) :].lstrip()[:14].casefold()
        values = set(numeral.values)
        for word, scale in _SCALES:
            if re.match(word, behind):
                values = {value * scale for value in values}
                break
        yield numeral, values


def is_number(wanted: float, numeral: Numeral, values: set[float], *, exact: bool = False, within: float = 0.0) -> bool:
    """Whether a number is the wanted one: within half a percent, or rounded to the shown digits. Signs are ignored."""
    digits = len(re.sub(r"\D", "", re.split(r"[eE]", numeral.text)[0]).lstrip("0"))
    for value in map(abs, values):
        for aim, share in ((abs(wanted), 1.0), (abs(wanted) / 100, 0.01), (abs(wanted) * 100, 100.0)):
            if share != 1.0 and exact:
                continue
            off = abs(value - aim)
            if off <= 1e-9 * max(1.0, aim):
                return True
            if exact:
                continue
            rounded = digits >= 2 and value in map(abs, numeral.values) and off <= numeral.step * 0.500001
            if off <= max(0.005 * aim, within * share) or rounded:
                return True
    return False
