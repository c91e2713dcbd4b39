"""The owner's templates: definitions of similar sessions, in numbered versions."""

from __future__ import annotations

from typing import Any

from ._async_driver import AsyncDriver
from ._async_session import Signal
from ._owned import request_with_key
from ._session_core import quoted
from ._session_opener import SessionOpener
from ._transport import require_success
from .wire import ListedTemplate, TemplateAnswerTemplateValue, TemplateDefinition

Template = TemplateAnswerTemplateValue


class AsyncTemplates:
    """``baton.templates``: needs an owner's key."""

    def __init__(self, opener: SessionOpener, driver: AsyncDriver) -> None:
        self._opener = opener
        self._driver = driver

    async def list(self, *, signal: Signal = None) -> list[ListedTemplate]:
        """All templates that are not retired, sorted by name, each in its newest version."""
        answer = await self._request("GET", "", None, signal)
        found: list[ListedTemplate] = answer["templates"]
        return found

    async def get(self, name: str, *, signal: Signal = None) -> Template:
        """The newest version, or with ``name@3`` that version."""
        return await self._request_template("GET", name, None, signal)

    async def put(
        self, name: str, definition: TemplateDefinition, *, signal: Signal = None
    ) -> Template:
        """Creates a template, or the next version of an existing one."""
        return await self._request_template("PUT", name, definition, signal)

    async def retire(self, name: str, *, signal: Signal = None) -> Template:
        """Retires the template: no new sessions are created from it; existing sessions continue."""
        return await self._request_template("DELETE", name, None, signal)

    async def _request_template(
        self, method: str, name: str, body: Any, signal: Signal
    ) -> Template:
        template: Template = (await self._request(method, f"/{quoted(name)}", body, signal))[
            "template"
        ]
        return template

    async def _request(self, method: str, path: str, body: Any, signal: Signal) -> Any:
        url = f"{self._opener.url}/templates{path}"
        flow = request_with_key(self._opener.config, method, url, body)
        return require_success(await self._driver.run(flow, signal)).body
