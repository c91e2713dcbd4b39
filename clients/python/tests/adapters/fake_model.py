"""A model that reports how many items it received and repeats the last one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from agents import Model, ModelResponse, Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText


class Scripted(Model):
    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        given = options.get("input", args[1] if len(args) > 1 else [])
        last = given if isinstance(given, str) else given[-1]["content"]
        count = 1 if isinstance(given, str) else len(given)
        content = ResponseOutputText(
            text=f"{count} heard: {last}", type="output_text", annotations=[], logprobs=[]
        )
        message = ResponseOutputMessage(
            id="msg", content=[content], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
