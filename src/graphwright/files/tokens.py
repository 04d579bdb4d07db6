"""About how many tokens a text takes, for keeping it within a bound without asking a model."""

from __future__ import annotations

import re

# Words go into about one token for every four letters; digits, signs and other scripts take one each in the
# vocabularies of small models, which cut finest.
_PARTS = re.compile(r"[A-Za-z]+|\s+|.", re.DOTALL)


def tokens(text: str) -> int:
    """An estimate that is rather too high than too low."""
    total = 0
    for part in _PARTS.findall(text):
        if part[0].isascii() and part[0].isalpha():
            total += (len(part) + 3) // 4
        elif part.isspace():
            total += part.count("\n")
        else:
            total += 1 if part.isascii() else 2
    return total
