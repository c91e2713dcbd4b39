"""The templates of an owner: what sessions that are alike begin with, in numbered versions."""

from __future__ import annotations

from typing import Any

from ._async_driver import AsyncDriver
from ._async_session import Signal
from ._beginnings import Beginnings
from ._exchange import accepted
from ._owned import ask
from ._session_core import quoted
from .wire import ListedTemplate, TemplateAnswerTemplateValue, TemplateDefinition

Template = TemplateAnswerTemplateValue


class AsyncTemplates:
    """``baton.templates``: needs an owner's key."""

    def __init__(self, begin: Beginnings, driver: AsyncDriver) -> None:
        self._begin = begin
        self._driver = driver

    async def list(self, *, signal: Signal = None) -> list[ListedTemplate]:
        """By name, each in its newest version, without those that are retired."""
        answer = await self._ask("GET", "", None, signal)
        found: list[ListedTemplate] = answer["templates"]
        return found

    async def get(self, name: str, *, signal: Signal = None) -> Template:
        """The newest version, or with ``name@3`` the one that is named."""
        return await self._one("GET", name, None, signal)

    async def put(
        self, name: str, definition: TemplateDefinition, *, signal: Signal = None
    ) -> Template:
        """A new template, or the next version of one there is."""
        return await self._one("PUT", name, definition, signal)

    async def retire(self, name: str, *, signal: Signal = None) -> Template:
        """No session begins from it any more; those begun go on."""
        return await self._one("DELETE", name, None, signal)

    async def _one(self, method: str, name: str, body: Any, signal: Signal) -> Template:
        template: Template = (await self._ask(method, f"/{quoted(name)}", body, signal))["template"]
        return template

    async def _ask(self, method: str, path: str, body: Any, signal: Signal) -> Any:
        url = f"{self._begin.url}/templates{path}"
        flow = ask(self._begin.means, method, url, body)
        return accepted(await self._driver.run(flow, signal)).body
