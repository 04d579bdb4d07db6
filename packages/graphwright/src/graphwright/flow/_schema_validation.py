"""Values against JSON Schema (draft 2020-12): the one checker, its formats, and the explanation of a violation.

The checker is `jsonschema-rs`. It compares `multipleOf` in decimals (4.02 is a multiple of 0.01), reads `pattern` as
ECMA 262 does, and never loads a schema from a file or an address.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from graphwright.extras import PackageMissing, installed
from graphwright.text.catalogue import Catalogue, amount_text
from graphwright.text.folding import normalised
from graphwright.text.near_names import did_you_mean

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

_SENTENCES = Catalogue(Path(__file__).with_name("schema_validation.json"))


def say(language: str, sentence: str, **parts: Any) -> str:
    """A sentence about a value; a `limit` that is a number decides between singular and plural."""
    return _SENTENCES.say(language, sentence, n=parts.get("limit"), **parts)


"""Return a sentence about a keyword of JSON Schema that describes a valid value."""

_META_SCHEMA = {"$ref": "https://json-schema.org/draft/2020-12/schema"}


NEEDED = {"email": "email-validator", "phone": "phonenumbers"}
"""The package that the check of a format needs."""

UNITS = "pint"
"""The package that converts numbers with a unit (`x-unit`)."""


def missing_packages() -> frozenset[str]:
    """Return the packages of formats and units that are not installed."""
    return frozenset(name for name in (*NEEDED.values(), UNITS) if not installed(name.replace("-", "_")))


def is_email(value: object) -> bool:
    """Whether `value` is an e-mail address, by its form. Raises PackageMissing."""
    try:
        from email_validator import EmailNotValidError, validate_email
    except ImportError as error:
        raise PackageMissing("The format `email`", NEEDED["email"], "formats") from error

    if not isinstance(value, str):
        return False
    try:
        validate_email(value, check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        return False
    return True


def is_phone(value: object) -> bool:
    """Whether `value` is a phone number: 6 to 15 digits and separators; with a country code, a possible one.

    Raises PackageMissing.
    """
    try:
        import phonenumbers
    except ImportError as error:
        raise PackageMissing("The format `phone`", NEEDED["phone"], "formats") from error

    if not isinstance(value, str) or len(value) > 40 or is_moment(value, "date"):
        return False
    text = normalised(value)
    digits = sum(sign.isdecimal() for sign in text)
    if not 6 <= digits <= 15 or not all(sign.isdecimal() or sign in "+()-./ " for sign in text):
        return False
    try:
        number = phonenumbers.parse(text, None if text.startswith("+") else "US")
    except phonenumbers.NumberParseException:
        return False
    return not text.startswith("+") or phonenumbers.is_possible_number(number)


def is_moment(value: object, name: str) -> bool:
    """Whether `value` is an ISO date, time or date and time, as the format `name` says; an offset may be left out."""
    from datetime import date, datetime, time

    if not isinstance(value, str):
        return False
    try:
        if name == "date":
            date.fromisoformat(value)
            return len(value) == len("2026-01-31")
        if name == "time":
            time.fromisoformat(value)
            return ":" in value
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return "T" in value or " " in value


FORMATS: Mapping[str, Callable[[Any], bool]] = {
    "email": is_email,
    "phone": is_phone,
    **{name: partial(is_moment, name=name) for name in ("date", "time", "date-time")},
}
"""The checks of texts by the `format` of their schema. Code reads the answer if the whole reply passes the check."""

BUILT_IN_VALIDATORS: Mapping[str, Callable[[Any], bool]] = {"email": is_email, "phone": is_phone}


class UnusableSchema(Exception):
    """A schema that the checker rejects: the reason, and the path to the place inside it."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{'.'.join(map(str, path))}: {message}" if path else message)
        self.message, self.path = message, path


@lru_cache(maxsize=4096)
def _validator(schema: str) -> Draft202012Validator:
    # Imported late: most flows that are only checked do not need it.
    from jsonschema_rs import Draft202012Validator, ValidationError

    try:
        return Draft202012Validator(json.loads(schema), formats={**FORMATS}, validate_formats=True, offline=True)
    except ValidationError as error:
        raise UnusableSchema(_shortened(error.message), tuple(error.instance_path)) from None
    except (ValueError, RecursionError) as error:
        raise UnusableSchema(str(error)) from None


def compiled_schema(schema: Any) -> Draft202012Validator:
    """Compile a schema. Raises UnusableSchema for an invalid schema, or a pattern that the checker does not support."""
    try:
        written = json.dumps(schema)
    except (TypeError, ValueError, RecursionError) as error:
        raise UnusableSchema(f"it is not JSON ({error})") from None
    return _validator(written)


def schema_problems(schema: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the places in a schema that the metaschema, or the checker, rejects, each with the reason."""
    if found := _errors(_META_SCHEMA, schema):
        return [(tuple(error.instance_path), _shortened(error.message)) for error in found]
    try:
        compiled_schema(schema)
    except UnusableSchema as error:
        return [(error.path, error.message)]
    return []


def _errors(schema: Any, value: Any) -> list[ValidationError]:
    """The violations of a value, the outermost first. Raises as `plain_json` for a value that is not JSON."""
    validator = compiled_schema(schema)
    try:
        found = list(validator.iter_errors(value))
    except (TypeError, ValueError):
        # The checker rejects keys that are not texts, which JSON writes as texts, and values nested too deep for it.
        found = list(validator.iter_errors(json.loads(plain_json(value))))
    return sorted(found, key=lambda error: (len(error.instance_path), error.kind.name))


DEEPEST = 200
"""The maximum nesting depth of a value; readers of JSON allow a little more."""

# The characters that can precede a number, so that few texts and no hexadecimal numbers match.
_MAYBE_HUGE = re.compile(r"[\[ -][0-9]{19}")


def plain_json(value: Any) -> str:
    """The JSON text of a value. Raises TypeError, ValueError or RecursionError if JSON cannot hold it."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    text.encode()  # half of a surrogate pair is not valid text
    if text.count("[") + text.count("{") > DEEPEST or _MAYBE_HUGE.search(f" {text}"):
        level = [value]
        for _ in range(DEEPEST + 1):
            # Guards compute with integers of 64 bits.
            if any(isinstance(part, int) and not -(2**63) <= part < 2**63 for part in level):
                raise ValueError("a whole number has more than 64 bits")
            inside = (part.values() if isinstance(part, dict) else part for part in level if not _is_scalar(part))
            level = [part for parts in inside for part in parts]
        if level:
            raise ValueError(f"it is nested more than {DEEPEST} levels deep")
    return text


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list | tuple)


def writable(value: Any) -> Any:
    """Return the value of a model as writable JSON: some models write Infinity."""
    return json.loads(json.dumps(value, default=str), parse_constant=str)


def first_violation(schema: Any, value: Any, language: str = "") -> str:
    """Why `value` does not fit `schema`, or an empty string. A value that is not JSON does not fit."""
    return checked_json(schema, value, language)[1]


def checked_json(schema: Any, value: Any, language: str = "") -> tuple[str, str]:
    """The JSON text of a value, and why it does not fit `schema` (empty if it fits). Raises UnusableSchema."""
    try:
        text = plain_json(value)
    except (TypeError, ValueError, RecursionError) as error:
        return "", f"it is not JSON ({error})"
    errors = _errors(schema, value) if schema != {} else []
    return text, _explained(errors[0], schema, value, language) if errors else ""


def violations(schema: Any, value: Any) -> list[str]:
    """The violations of a schema, one on each line, for the model that wrote the value. Raises UnusableSchema."""
    try:
        return [_explained(error, schema, value) for error in _errors(schema, value)]
    except (TypeError, ValueError, RecursionError) as error:
        return [f"it is not JSON ({error})"]


_BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf")


def _explained(error: ValidationError, schema: Any, value: Any, language: str | None = None) -> str:
    """One violation as a part of a sentence about the value.

    With a language it is for people. Without one it is for a model: it has the checker's words, which show the value,
    and names the nearest allowed values.
    """
    error, constants = _closest_violation(error)
    keyword, limit = _broken(error, schema, value)
    if constants:
        keyword, limit = "enum", constants
    where = "".join(f"{step}." for step in error.instance_path)
    if language is None and keyword == "additionalProperties":
        known = [*(_at(schema, error.schema_path[:-1]) or {}).get("properties", ())]
        others = f"there are {', '.join(known) or 'none'}"
        near = {name: did_you_mean(name, known) or others for name in limit}
        return "; ".join(f"{where}{name}: there is no such argument; {like}" for name, like in near.items())
    if language is None:
        said = _shortened(_none_of(error.instance, constants) if constants else error.message)
        texts = [each for each in limit if isinstance(each, str)] if keyword == "enum" else []
        if isinstance(error.instance, str) and (like := did_you_mean(error.instance, texts)):
            said += f"; {like}"
    else:
        part = _at(schema, error.schema_path[:-1]) or {}
        if part.get("x-unit") and keyword in _BOUNDS:
            limit = amount_text(limit, part["x-unit"], language)
        said = _in_words(keyword, limit, language, part) or error.message
    return f"{where[:-1]}: {said}" if where else said


def _in_words(keyword: str, limit: Any, language: str, part: Mapping[str, Any]) -> str:
    """The sentence about a keyword of a `part` of a schema, with the unit or the example that the part has."""
    examples = [each for each in part.get("examples", ()) if isinstance(each, str)]
    if keyword == "type" and (unit := part.get("x-unit")) and (kinds := {"integer", "number"} & {*limit}):
        limit = say(language, f"amount_{max(kinds)}", unit=unit)
    elif keyword == "type":
        limit = say(language, "or").join(say(language, name) for name in dict.fromkeys(limit))
    elif keyword == "pattern" and examples:
        # A pattern says nothing to people.
        keyword, limit = "pattern_like", examples[0]
    elif keyword == "const":
        limit = repr(limit)
    elif keyword in ("enum", "required"):
        limit = ", ".join(map(str, limit))
    elif keyword == "format" and f"format_{limit}" in _SENTENCES:
        keyword = f"format_{limit}"
    return say(language, keyword, limit=limit) if keyword in _SENTENCES else ""


def _broken(error: ValidationError, schema: Any, value: Any) -> tuple[str, Any]:
    """The keyword that a value violates, and its limit in the order of the schema."""
    keyword, limit = error.kind.name, error.kind.value
    written = _at(schema, error.schema_path)
    if keyword in ("anyOf", "oneOf"):
        parts = [_broken(part, schema, value) for branch in limit for part in branch]
        if parts and all(name == "type" for name, _ in parts):
            return "type", [name for _, names in parts for name in names]
    elif keyword == "falseSchema" and error.schema_path[-1:] == ["additionalProperties"]:
        return "additionalProperties", [*_at(value, error.instance_path)]
    elif keyword == "type" and isinstance(written, list):
        return keyword, written
    elif keyword == "required":
        names = written if isinstance(written, list) else [limit]
        return keyword, [name for name in names if name not in cast("dict[str, Any]", error.instance)]
    return keyword, limit


def _at(whole: Any, path: list[str | int]) -> Any:
    """The part of a JSON value at a path, or None."""
    for step in path:
        try:
            whole = whole[step]
        except (KeyError, IndexError, TypeError):
            return None
    return whole


def _none_of(value: Any, constants: list[Any]) -> str:
    shown = [json.dumps(each, ensure_ascii=False) for each in constants]
    return f"{json.dumps(value, ensure_ascii=False)} is not one of {', '.join(shown[:-1])} or {shown[-1]}"


def _closest_violation(error: ValidationError) -> tuple[ValidationError, list[Any]]:
    """The violation in the alternative that the value is closest to, at least by its outer form.

    An alternative is excluded if a constant inside the value belongs to another one, or else one of listed values. If
    the constant belongs to none, the constants of all come with the violation.
    """
    branches: list[list[ValidationError]] = getattr(error.kind, "context", [])
    open_ones = _meant(_meant([branch for branch in branches if branch], error, "const"), error, "enum")
    parts = [part for branch in open_ones for part in branch]
    if not parts:
        return error, []
    constants = [part for part in parts if part.kind.name == "const" and part.instance_path != error.instance_path]
    if len(constants) == len(open_ones) > 1 and len({tuple(part.instance_path) for part in constants}) == 1:
        return constants[0], [part.kind.value for part in constants]
    deepest = max(parts, key=lambda part: len(part.instance_path))
    if len(deepest.instance_path) > len(error.instance_path) or len(open_ones) == 1 < len(branches):
        return _closest_violation(deepest)
    return error, []


def _meant(branches: list[list[ValidationError]], outer: ValidationError, keyword: str) -> list[list[ValidationError]]:
    """The alternatives in which no value inside violates the keyword; all if there is none."""

    def fits(error: ValidationError) -> bool:
        return error.kind.name != keyword or len(error.instance_path) == len(outer.instance_path)

    return [branch for branch in branches if all(map(fits, branch))] or branches


def _shortened(message: str) -> str:
    return message if len(message) <= 300 else message[:300] + " ..."
