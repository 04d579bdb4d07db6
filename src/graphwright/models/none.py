"""The model `none`: no model at all. Questions are answered step by step, and whatever needs a model says so."""

from __future__ import annotations

from typing import Any, NoReturn

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult

from graphwright.models.failures import NoModel


class NoChatModel(BaseChatModel):
    """Answers nothing: every call raises `NoModel`, a ModelFailure with the code `no_model`."""

    @property
    def _llm_type(self) -> str:
        return "none"

    def bind_tools(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise _none()

    def with_structured_output(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise _none()

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise _none()


def _none() -> NoModel:
    return NoModel(
        "This needs a model, and the model chosen is `none`.",
        "Choose one with --model or GRAPHWRIGHT_MODEL: embedded, or PROVIDER:MODEL.",
    )
