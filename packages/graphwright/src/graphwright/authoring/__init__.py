"""Describe a change: a language model proposes edit commands for a flow document, and the compiler checks them."""

from graphwright.authoring._commands import COMMANDS, Command, Refused, applied, edit, read_command
from graphwright.authoring._limits import Allowed
from graphwright.authoring._loop import propose
from graphwright.authoring._proposal import Outcome, Progress, Proposal, Round, Subject
from graphwright.authoring._subjects import new_subject, subject_of

__all__ = [
    "COMMANDS",
    "Allowed",
    "Command",
    "Outcome",
    "Progress",
    "Proposal",
    "Refused",
    "Round",
    "Subject",
    "applied",
    "edit",
    "new_subject",
    "propose",
    "read_command",
    "subject_of",
]
