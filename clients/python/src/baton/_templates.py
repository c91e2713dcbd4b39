"""The templates of an owner: what sessions that are alike begin with, in numbered versions.

Written from _async_templates.py by tools/write_blocking.py. Do not edit.
"""

from __future__ import annotations

from typing import Any

from ._driver import Driver
from ._session import Signal
from ._beginnings import Beginnings
from ._exchange import accepted
from ._owned import ask
from ._session_core import quoted
from .wire import ListedTemplate, TemplateAnswerTemplateValue, TemplateDefinition

Template = TemplateAnswerTemplateValue


class Templates:
    """``baton.templates``: needs an owner's key."""

    def __init__(self, begin: Beginnings, driver: Driver) -> None:
        self._begin = begin
        self._driver = driver

    def list(self, *, signal: Signal = None) -> list[ListedTemplate]:
        """By name, each in its newest version, without those that are retired."""
        answer = self._ask("GET", "", None, signal)
        found: list[ListedTemplate] = answer["templates"]
        return found

    def get(self, name: str, *, signal: Signal = None) -> Template:
        """The newest version, or with ``name@3`` the one that is named."""
        return self._one("GET", name, None, signal)

    def put(
        self, name: str, definition: TemplateDefinition, *, signal: Signal = None
    ) -> Template:
        """A new template, or the next version of one there is."""
        return self._one("PUT", name, definition, signal)

    def retire(self, name: str, *, signal: Signal = None) -> Template:
        """No session begins from it any more; those begun go on."""
        return self._one("DELETE", name, None, signal)

    def _one(self, method: str, name: str, body: Any, signal: Signal) -> Template:
        template: Template = (self._ask(method, f"/{quoted(name)}", body, signal))["template"]
        return template

    def _ask(self, method: str, path: str, body: Any, signal: Signal) -> Any:
        url = f"{self._begin.url}/templates{path}"
        flow = ask(self._begin.means, method, url, body)
        return accepted(self._driver.run(flow, signal)).body
