"""The syntax tree of Python source."""

from __future__ import annotations

import ast
import threading

__all__ = ["syntax_tree"]

_ONE_AT_A_TIME = threading.Lock()
"""CPython before 3.12 counts the depth of a tree for all threads together: concurrent parsing fails (gh-106905).
"""


def syntax_tree(source: str | bytes, name: str = "<unknown>") -> ast.Module:
    """Like `ast.parse`, from any thread. Raises as it does: SyntaxError, ValueError, RecursionError, MemoryError."""
    with _ONE_AT_A_TIME:
        return ast.parse(source, name)
