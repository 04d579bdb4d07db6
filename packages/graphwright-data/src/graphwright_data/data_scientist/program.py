"""The program that a model wrote: extracted from its reply, parsed, never rewritten; analyses of its syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice

from graphwright.text.python_source import syntax_tree

LONGEST = 20_000
"""Maximum length of a program, in characters."""

_MOST_LOOKED_AT = 3_000
"""Maximum number of syntax nodes that are analysed."""

_FENCE = "```"
_LANGUAGES = ("", "python", "python3", "py", "sql", "sqlite")


class NotAProgram(Exception):
    """A text is not valid Python; the message has the reason and the place, as in `fault_text`."""


def program_in(reply: str) -> str:
    """Return the Python or SQL in a model's reply: the content of its code fences, else the whole reply."""
    pieces = reply.replace("\r\n", "\n").split(_FENCE)
    blocks = []
    for piece in pieces[1::2]:
        language, _, text = piece.partition("\n")
        if language.strip().lower() in _LANGUAGES:
            blocks.append(text)
    text = "\n\n".join(block.strip("\n") for block in blocks) or _FENCE.join(pieces)
    return f"{text.strip(chr(10)).rstrip()}\n" if text.strip() else ""


def parsed(code: str) -> ast.Module:
    """Return the syntax tree of a program. Raises NotAProgram."""
    if not code.strip():
        raise NotAProgram("There is no program in the reply.")
    if len(code) > LONGEST:
        raise NotAProgram(f"The program has {len(code):,} characters; at most {LONGEST:,} are run.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return syntax_tree(code)
    except SyntaxError as error:
        raise NotAProgram(fault_text(f"SyntaxError: {error.msg}", error.lineno, (error.text or "").strip())) from None
    except (ValueError, RecursionError, MemoryError):
        raise NotAProgram("SyntaxError: it is nested too deeply, or holds a NUL.") from None


def fault_text(message: str, line: int | None, source: str) -> str:
    """Return an error with its place in the program."""
    return f"{message}\nline {line}: {source}" if line else message


def literals(code: str) -> list[float]:
    """Return the numbers in the text of a program, such as levels, bins and limits."""
    values = [node.value for node in ast.walk(parsed(code)) if isinstance(node, ast.Constant)]
    return [float(each) for each in values if isinstance(each, int | float) and not isinstance(each, bool)]


def compared_with_itself(tree: ast.Module) -> Iterator[str]:
    """Yield calls that compare a column with itself: a test, a correlation or a formula."""
    stored = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    assigned = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and stored[node.targets[0].id] == 1
    }
    for node in islice(ast.walk(tree), _MOST_LOOKED_AT):
        match node:
            case ast.Call():
                given = [*node.args[:2], *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
                columns = [ast.dump(each) for each in (_value(each, assigned) for each in given) if _names_column(each)]
                axes = [ast.dump(k.value) for k in node.keywords if k.arg in ("x", "y")]
                if len(set(columns)) < len(columns) or (len(axes) == 2 and axes[0] == axes[1]):
                    yield ast.unparse(node)[:200]
            case ast.Constant(value=str(formula)) if formula.count("~") == 1:
                left, right = formula.split("~")
                if left.strip() in [term.strip() for term in right.split("+")]:
                    yield formula[:200]


def _value(node: ast.expr, assigned: Mapping[str, ast.expr]) -> ast.expr:
    """Return the value of a name to which the program assigns once, otherwise the expression itself."""
    for _ in range(3):
        node = assigned.get(node.id, node) if isinstance(node, ast.Name) else node
    return node


def _names_column(node: ast.AST) -> bool:
    """Return whether an expression contains a column of a table, by a text or an attribute."""
    for part in islice(ast.walk(node), _MOST_LOOKED_AT):
        match part:
            case ast.Subscript(value=ast.Name(id="datasets")):
                continue
            case ast.Subscript(slice=ast.Constant(value=str())) | ast.Attribute(value=ast.Name(id="df")):
                return True
    return False
