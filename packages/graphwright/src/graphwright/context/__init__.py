"""Prompt templates, and the builders that turn state into the text of a prompt."""

from graphwright.context._prompts import PromptError, PromptLibrary
from graphwright.context.builders import (
    build_conversation_context,
    build_files_context_full,
    build_files_context_summary,
    build_system_context,
    build_tools_context_detailed,
    build_tools_context_summary,
    fenced,
    shortened,
    without_date_remark,
)

__all__ = [
    "PromptError",
    "PromptLibrary",
    "build_conversation_context",
    "build_files_context_full",
    "build_files_context_summary",
    "build_system_context",
    "build_tools_context_detailed",
    "build_tools_context_summary",
    "fenced",
    "shortened",
    "without_date_remark",
]
