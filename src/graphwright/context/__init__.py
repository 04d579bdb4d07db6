"""Builders that turn state into the text a prompt needs, and the prompts themselves."""

from graphwright.context.prompts import PromptError, PromptLibrary

__all__ = ["PromptError", "PromptLibrary"]
