"""Units of measure and currencies: how they are written, and their factors to a base unit."""

from __future__ import annotations

from dataclasses import dataclass

from graphwright.runtime.reading.words import fold, is_typo_of


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its symbol, what it measures, and how many base units it is. Money has one quantity a currency."""

    symbol: str
    quantity: str
    factor: float


# symbol, quantity, factor, then what people write for it (folded; the symbol itself always counts).
_TABLE: tuple[tuple[str, str, float, str], ...] = (
    ("mW", "power", 1e-3, "milliwatt milliwatts"),
    ("W", "power", 1, "w watt watts"),
    ("kW", "power", 1e3, "kilowatt kilowatts"),
    ("MW", "power", 1e6, "megawatt megawatts"),
    ("Wh", "energy", 1, "wattstunde wattstunden"),
    ("kWh", "energy", 1e3, "kilowattstunde kilowattstunden"),
    ("MWh", "energy", 1e6, "megawattstunden"),
    ("V", "voltage", 1, "volt volts"),
    ("kV", "voltage", 1e3, "kilovolt kilovolts"),
    ("A", "current", 1, "ampere amperes amp amps"),
    ("mA", "current", 1e-3, "milliampere milliamp milliamps"),
    ("Hz", "frequency", 1, "hertz"),
    ("kHz", "frequency", 1e3, "kilohertz"),
    ("lm", "luminous flux", 1, "lumen lumens"),
    ("lx", "illuminance", 1, "lux"),
    ("K", "temperature", 1, "kelvin"),
    ("°C", "celsius", 1, "°c celsius"),
    ("°F", "fahrenheit", 1, "°f fahrenheit"),
    ("°", "angle", 1, "degree degrees grad"),
    ("mm", "length", 1e-3, "millimeter millimeters millimetre millimetres millimetern"),
    ("cm", "length", 1e-2, "centimeter centimeters centimetre centimetres zentimeter zentimetern"),
    ("dm", "length", 1e-1, "dezimeter decimetre decimetres"),
    ("m", "length", 1, "meter meters metre metres metern mtr"),
    ("km", "length", 1e3, "kilometer kilometers kilometre kilometres kilometern kms"),
    ("in", "length", 0.0254, "inch inches zoll"),
    ("ft", "length", 0.3048, "foot feet fuss"),
    ("yd", "length", 0.9144, "yard yards"),
    ("mi", "length", 1609.344, "mile miles meile meilen"),
    ("cm2", "area", 1e-4, "cm^2 qcm quadratzentimeter"),
    ("m2", "area", 1, "m^2 qm sqm quadratmeter quadratmetern"),
    ("km2", "area", 1e6, "km^2 qkm sqkm quadratkilometer"),
    ("ha", "area", 1e4, "hektar hectare hectares"),
    ("ft2", "area", 0.09290304, "ft^2 sqft"),
    ("mg", "mass", 1e-3, "milligram milligrams milligramm"),
    ("g", "mass", 1, "gram grams gramm gramme grammes gr"),
    ("kg", "mass", 1e3, "kilo kilos kilogram kilograms kilogramm kilogrammes kgs"),
    ("t", "mass", 1e6, "tonne tonnes tonnen ton tons"),
    ("lb", "mass", 453.59237, "lbs"),
    ("oz", "mass", 28.349523125, "ounce ounces unze unzen"),
    ("ms", "time", 1e-3, "millisecond milliseconds millisekunde millisekunden"),
    ("s", "time", 1, "sec secs second seconds sek sekunde sekunden"),
    ("min", "time", 60, "mins minute minutes minuten"),
    ("h", "time", 3600, "hr hrs hour hours std stunde stunden"),
    ("d", "time", 86400, "day days tag tage tagen"),
    ("week", "time", 604800, "weeks woche wochen wk wks"),
    ("month", "months", 1, "months monat monate monaten"),
    ("year", "months", 12, "years yr yrs jahr jahre jahren"),
    ("ml", "volume", 1e-3, "milliliter milliliters millilitre millilitres"),
    ("cl", "volume", 1e-2, "centiliter centilitre zentiliter"),
    ("l", "volume", 1, "liter liters litre litres litern ltr"),
    ("m3", "volume", 1e3, "m^3 cbm kubikmeter kubikmetern"),
    ("kB", "data", 1e3, "kilobyte kilobytes"),
    ("MB", "data", 1e6, "mb megabyte megabytes"),
    ("GB", "data", 1e9, "gb gigabyte gigabytes"),
    ("TB", "data", 1e12, "tb terabyte terabytes"),
    ("km/h", "speed", 1 / 3.6, "kmh kph stundenkilometer"),
    ("m/s", "speed", 1, ""),
    ("%", "share", 1, "percent pct prozent"),
    ("EUR", "EUR", 1, "€ eur euro euros"),
    ("USD", "USD", 1, "$ usd us$ dollar dollars bucks"),
    ("GBP", "GBP", 1, "£ gbp sterling quid"),
    ("CHF", "CHF", 1, "chf franken sfr"),
    ("JPY", "JPY", 1, "¥ jpy yen"),
    ("SEK", "SEK", 1, "kronor"),
    ("NOK", "NOK", 1, ""),
    ("DKK", "DKK", 1, ""),
    ("PLN", "PLN", 1, "zloty zl"),
    ("CZK", "CZK", 1, ""),
    ("INR", "INR", 1, "₹ rupee rupees"),
    ("CNY", "CNY", 1, "yuan rmb"),
    ("CAD", "CAD", 1, ""),
    ("AUD", "AUD", 1, ""),
)
# `pounds` are money or mass: the unit that is wanted decides.
POUND = "pound"
_POUNDS = ("lb", "GBP")
_BY_SYMBOL = {symbol: Unit(symbol, quantity, factor) for symbol, quantity, factor, _ in _TABLE}
_BY_WORD = {word: symbol for symbol, _, _, words in _TABLE for word in words.split()}
_BY_WORD |= dict.fromkeys(("pound", "pounds", "pfund"), POUND)
# Milli or mega: a unit that agrees with no other, rather than no unit at all.
_BY_WORD["mw"] = "mw"
# Symbols of two letters and more that only one unit has whatever the case: `KW`, `Km`, `EUR`, but not `MW`.
_FOLDED: dict[str, list[str]] = {}
for _symbol in _BY_SYMBOL:
    _FOLDED.setdefault(fold(_symbol), []).append(_symbol)

CURRENCIES = frozenset(symbol for symbol, quantity, _, _ in _TABLE if symbol == quantity)


def unit_named(text: str) -> str:
    """The symbol of the unit that `text` writes, '' when it writes none. `mW` and `MW` differ; `mw` is neither."""
    if text in _BY_SYMBOL:
        return text
    folded = fold(text).rstrip(".")
    if folded in _BY_WORD:
        return _BY_WORD[folded]
    same = _FOLDED.get(folded, [])
    return same[0] if len(same) == 1 and len(folded) > 1 and folded not in ("in", "sek") else ""


def is_slip_for(word: str, unit: str) -> bool:
    """Whether `word` looks like a slip of the fingers for a word of the unit with the symbol `unit`: `euors`."""
    written = (name for name, symbol in _BY_WORD.items() if symbol == unit)
    return any(is_typo_of(fold(word), name) for name in written)


def canonical(text: str) -> str:
    """The symbol of a unit as a schema writes it (`watts`, `m²`, `EUR/month`); an unknown unit stays as it is."""
    head, slash, tail = text.strip().partition("/")
    whole = unit_named(text.strip())
    if whole or not slash:
        return whole or text.strip()
    return f"{unit_named(head.strip()) or head.strip()}/{unit_named(tail.strip()) or tail.strip()}"


def factor_between(given: str, wanted: str) -> float | None:
    """What an amount in the symbol `given` is multiplied with to be in `wanted`; None when they do not agree.

    Months and years agree with one another only; currencies agree with themselves only.
    """
    if given == wanted:
        return 1.0
    target = _BY_SYMBOL.get(wanted)
    if target is None:
        return None
    for symbol in _POUNDS if given == POUND else (given,):
        source = _BY_SYMBOL.get(symbol)
        if source is not None and source.quantity == target.quantity:
            return source.factor / target.factor
    return None
