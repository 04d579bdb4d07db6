"""The difference of two flows by meaning: guards weaker or stronger, schemas wider or narrower, with values."""

from graphwright.flow.difference._compare import Difference, difference
from graphwright.flow.difference._entries import Detail, Entry
from graphwright.flow.difference._text import Line, summary, text_lines

__all__ = ["Detail", "Difference", "Entry", "Line", "difference", "summary", "text_lines"]
