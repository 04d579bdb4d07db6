"""Retrieval: a full-text index for passages of documents and log entries, and two MCP servers that search them."""

from __future__ import annotations

from graphwright_assistant.retrieval._builtin_logbook import BuiltinLogbook
from graphwright_assistant.retrieval._configured import (
    IS_SAMPLE,
    ChosenKnowledge,
    configured_accelerators,
    configured_address,
    configured_folder,
    open_logbook,
    own_index,
    searched_index,
)
from graphwright_assistant.retrieval._embedding import Embedder, chosen_embedder
from graphwright_assistant.retrieval._entry_files import read_file
from graphwright_assistant.retrieval._errors import (
    EmbedderUnavailable,
    LogbookError,
    NoFolder,
    RetrievalError,
    SearchRefused,
)
from graphwright_assistant.retrieval._folder_indexing import UnreadableFile
from graphwright_assistant.retrieval._knowledge_index import ALL, Folder, Indexed, KnowledgeIndex
from graphwright_assistant.retrieval._logbook import Clock, Logbook, get_elog_thread, search_elog
from graphwright_assistant.retrieval._servers import knowledge_server, logbook_server

__all__ = [
    "ALL", "UnreadableFile",
    "IS_SAMPLE", "BuiltinLogbook", "ChosenKnowledge", "Clock", "Embedder", "EmbedderUnavailable", "Folder",
    "Indexed", "KnowledgeIndex", "Logbook", "LogbookError", "NoFolder", "SearchRefused", "RetrievalError",
    "chosen_embedder", "configured_accelerators", "configured_address", "configured_folder", "get_elog_thread",
    "knowledge_server", "logbook_server", "open_logbook", "own_index", "read_file", "search_elog",
    "searched_index",
]  # fmt: skip
