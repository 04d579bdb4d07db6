"""The names of accelerators, and what else people and models call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphwright.knowledge.searching import ALL
from graphwright.knowledge.words import RUN
from graphwright.text.folding import fold


class Accelerators:
    """The names of accelerators, and what else they are called: case, blanks and umlauts apart."""

    def __init__(self, accelerators: Mapping[str, Sequence[str]] | Sequence[str]) -> None:
        given = accelerators if isinstance(accelerators, Mapping) else dict.fromkeys(accelerators, ())
        self.known = tuple(name for name in given if name != ALL)
        self._meant = {_plain(each): name for name, others in given.items() for each in others}
        self._meant |= {_plain(name): name for name in self.known}
        self._meant |= {_plain(each): ALL for each in ("", ALL, "any", "alle", "none", "*")}

    def meant(self, name: str) -> tuple[str, str]:
        """The accelerator that a name stands for, and a remark; `all` for one that nobody knows."""
        found = self._meant.get(_plain(name))
        if found is not None:
            return found, ""
        shown = " ".join(name.split())[:60]
        return ALL, f"There is no accelerator {shown!r}: all were searched. Known are {', '.join(self.known)}."


def _plain(name: str) -> str:
    return "".join(RUN.findall(fold(name)))
