"""Options: the values a question offers, and reading a choice among them by number, name or word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.runtime.reading.words import counted, is_typo_of, stem, vocabulary, words_of
from graphwright.runtime.reading.yes_no import read_yes_no

_LONGEST_REPLY = 400
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Option:
    """One value that a question offers: `title` is what people read, `words` are what they may say for it."""

    value: Any
    title: str
    words: tuple[str, ...] = ()


def options_of(schema: Mapping[str, Any]) -> tuple[Option, ...]:
    """The options that a JSON Schema offers, in its order; none when it does not offer a closed choice.

    Understands `enum`, `const`, `oneOf`/`anyOf` whose branches all have a `const` or an `enum` (with `title` and
    `x-words`), booleans, and at the schema itself `x-words: {value: [words]}` and `x-titles: {value: title}`. Null is
    no option.
    """
    given = schema.get("x-words")
    said: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    titles = schema.get("x-titles")
    named: Mapping[str, Any] = titles if isinstance(titles, Mapping) else {}

    def option(value: Any, branch: Mapping[str, Any], title: str = "") -> Option:
        own = branch.get("x-words")
        listed = [*_texts(own if not isinstance(own, Mapping) else ()), *_texts(said.get(_key(value), ()))]
        shown = title or str(named.get(_key(value)) or "") or _shown(value)
        return Option(value, shown, tuple(dict.fromkeys(listed)))

    if "const" in schema:
        return () if schema["const"] is None else (option(schema["const"], {}, str(schema.get("title") or "")),)
    if isinstance(schema.get("enum"), Sequence) and not isinstance(schema["enum"], str):
        return tuple(option(value, {}) for value in schema["enum"] if value is not None)
    for word in ("oneOf", "anyOf"):
        branches = schema.get(word)
        if isinstance(branches, Sequence) and branches and not isinstance(branches, str):
            found: list[Option] = []
            for branch in branches:
                if not isinstance(branch, Mapping):
                    return ()
                if branch.get("type") == "null" or ("const" in branch and branch["const"] is None):
                    continue
                if "const" in branch:
                    found.append(option(branch["const"], branch, str(branch.get("title") or "")))
                elif isinstance(branch.get("enum"), Sequence):
                    found.extend(option(value, {}) for value in branch["enum"] if value is not None)
                else:
                    return ()
            return tuple(found)
    if schema.get("type") == "boolean":
        return (
            Option(True, "yes", ("yes", *_texts(said.get("true", ())))),
            Option(False, "no", ("no", *_texts(said.get("false", ())))),
        )
    return ()


def has_words(schema: Mapping[str, Any]) -> bool:
    """Whether the author has listed words for the options, so that a choice must be borne out by one."""
    if isinstance(schema.get("x-words"), Mapping):
        return True
    branches = schema.get("oneOf") or schema.get("anyOf") or ()
    return any(isinstance(branch, Mapping) and branch.get("x-words") for branch in branches)


def listed_words(schema: Mapping[str, Any]) -> list[str]:
    """The words that the author listed for an answer without options: what users call it. None where it has options."""
    given = schema.get("x-words")
    return [] if isinstance(given, Mapping) or options_of(schema) else _texts(given or ())


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, Iterable) else []


def _key(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(spelled(value).replace("_", " ").split()) or str(value)


def spelled(value: Any) -> str:
    """A value as words: `buyLed` is `buy Led`."""
    return _CAMEL.sub(" ", str(value))


def names_of(option: Option) -> tuple[tuple[str, ...], ...]:
    """The names of an option as folded words: its value, its title and each of its words."""
    texts = [spelled(option.value), option.title, *option.words]
    return tuple(dict.fromkeys(tuple(tokens) for text in texts if (tokens := words_of(text))))


def option_for(value: Any, options: Sequence[Option]) -> Option | None:
    """The option a proposed `value` means: the value itself, or its spelling up to case, marks and typos."""
    for option in options:
        if option.value == value and isinstance(option.value, bool) == isinstance(value, bool):
            return option
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    tokens = tuple(words_of(spelled(value)))
    same = [option for option in options if tokens in names_of(option)]
    if not same and tokens:
        same = [option for option in options if any(_nearly(tokens, name) for name in names_of(option))]
    return same[0] if len(same) == 1 else None


_ORDINALS = {
    **dict.fromkeys(("first", "1st", "erste", "ersten", "erster", "erstes", "premier", "premiere"), 1),
    **dict.fromkeys(("second", "2nd", "zweite", "zweiten", "zweiter", "zweites"), 2),
    **dict.fromkeys(("third", "3rd", "dritte", "dritten", "dritter", "drittes"), 3),
    **dict.fromkeys(("fourth", "4th", "vierte", "vierten", "vierter", "viertes"), 4),
    **dict.fromkeys(("fifth", "5th", "funfte", "funften", "funfter", "funftes"), 5),
    **dict.fromkeys(("sixth", "6th", "sechste", "sechsten", "sechster", "sechstes"), 6),
    **dict.fromkeys(("seventh", "7th", "siebte", "siebten", "siebter", "siebtes"), 7),
    **dict.fromkeys(("eighth", "8th", "achte", "achten", "achter", "achtes"), 8),
    **dict.fromkeys(("ninth", "9th", "neunte", "neunten", "neunter", "neuntes"), 9),
    **dict.fromkeys(("tenth", "10th", "zehnte", "zehnten", "zehnter", "zehntes"), 10),
    **dict.fromkeys(("last", "letzte", "letzten", "letzter", "letztes"), -1),
}
_CARDINALS = {
    **counted("one two three four five six seven eight nine ten", 1),
    **counted("eins zwei drei vier funf sechs sieben acht neun zehn", 1),
}
# What may stand around a choice without changing it. Nothing here negates, compares or asks.
_AROUND = vocabulary("""
    the a an one option number no nr nummer choice answer item please pls thanks thank you i we ill id would
    like want take choose pick prefer go with for is it its that this my would be lets let us well have to of
    course yes ok okay sure hm um uh der die das den dem ein eine einen option antwort bitte danke ich wir nehme
    nehmen mochte mochten will hatte gern gerne wahle lieber auswahl punkt ja also dann ist es mit fur und and
    im am in on at to zum zur variante moglichkeit
""")
_AGAINST = vocabulary("""
    not no dont never neither nor none without except but instead nicht kein keine keinen keiner keins ohne
    weder statt ausser nein nope cant cannot wont isnt or oder pas non nee niet sin
""")


def read_choice(text: str, options: Sequence[Option]) -> Option | None:
    """The option that `text` chooses, or None when it chooses none, several, or says anything against one.

    By number (`2`, `option 2`, `the second one`, `die zweite`, `last`), by value, title or word, by a beginning that
    only one option has, and through typos. An exact name goes before a number, a number before a typo.
    """
    if not options or len(text) > _LONGEST_REPLY or any(c in text for c in "?¿？"):
        return None
    said = words_of(text.replace("'", "").replace("’", ""))
    exact = [option for option in options if tuple(said) in names_of(option)]
    if len(exact) == 1:
        return exact[0]
    if all(isinstance(option.value, bool) for option in options):
        answer = read_yes_no(text)
        return next((option for option in options if answer is not None and option.value is answer), None)
    if len(exact) > 1 or not said:
        return None
    number = _by_number(said, text, options)
    if number is not None:
        return number
    return _by_name(said, options)


def _by_number(said: Sequence[str], text: str, options: Sequence[Option]) -> Option | None:
    content = [word for word in said if word not in _AROUND or word == "one"]
    if content.count("one") and len(content) > 1:
        content = [word for word in content if word != "one"]
    if len(content) != 1 or re.search(r"\d[.,:/-]\d|[-−]\d|[€$£%]", text):
        return None
    word = content[0]
    if word in _ORDINALS:
        at = _ORDINALS[word]
    elif word in _CARDINALS and (word != "one" or len(said) == 1 or said[-2:-1] in (["option"], ["number"])):
        at = _CARDINALS[word]
    elif word.isascii() and word.isdecimal() and len(word) <= 3:
        at = int(word)
    else:
        return None
    if word not in _ORDINALS and any(_is_number(option.value) for option in options):
        return None
    if at == -1:
        return options[-1]
    return options[at - 1] if 1 <= at <= len(options) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and value.strip().isdecimal())


def _by_name(said: Sequence[str], options: Sequence[Option]) -> Option | None:
    """The one option whose name is among the words, or whose beginning or misspelling is all that was said."""
    named = {
        at: max((len(name) for name in names_of(option) if _has_run(said, name)), default=0)
        for at, option in enumerate(options)
    }
    most = max(named.values())
    if most:
        chosen = [at for at, length in named.items() if length == most]
        name_words = {word for name in names_of(options[chosen[0]]) for word in name}
        against = any(word in _AGAINST and word not in name_words for word in said)
        # A longer name holds the shorter: `sports court` is no choice of `sports`. Two apart are no choice at all.
        rivals = [at for at, length in named.items() if length and at != chosen[0]]
        separate = any(not _inside(options[at], options[chosen[0]]) for at in rivals)
        return options[chosen[0]] if len(chosen) == 1 and not against and not separate else None
    content = tuple(word for word in said if word not in _AROUND)
    if not content or any(word in _AGAINST for word in content):
        return None
    begun = [option for option in options if any(_begins(content, name) for name in names_of(option))]
    if len(begun) == 1:
        return begun[0]
    if begun:
        return None
    near = [option for option in options if any(_nearly(content, name) for name in names_of(option))]
    return near[0] if len(near) == 1 else None


def _has_run(said: Sequence[str], name: Sequence[str]) -> bool:
    size = len(name)
    stems = [stem(word) for word in name]
    return any(
        tuple(said[at : at + size]) == tuple(name) or [stem(word) for word in said[at : at + size]] == stems
        for at in range(len(said) - size + 1)
    )


def _inside(option: Option, longer: Option) -> bool:
    return any(
        _has_run(name, short) for name in names_of(longer) for short in names_of(option) if len(short) < len(name)
    )


def _begins(content: Sequence[str], name: Sequence[str]) -> bool:
    return len(" ".join(content)) >= 2 and " ".join(name).startswith(" ".join(content))


def _nearly(content: Sequence[str], name: Sequence[str]) -> bool:
    if len(content) == len(name):
        return all(is_typo_of(word, meant) for word, meant in zip(content, name, strict=True))
    return is_typo_of("".join(content), "".join(name))
