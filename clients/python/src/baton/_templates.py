"""The owner's templates: definitions of similar sessions, in numbered versions.

Written from _async_templates.py by tools/write_blocking.py. Do not edit.
"""

from __future__ import annotations

from typing import Any

from ._driver import Driver
from ._session import Signal
from ._owned import request_with_key
from ._session_core import quoted
from ._session_opener import SessionOpener
from ._transport import require_success
from .wire import ListedTemplate, TemplateAnswerTemplateValue, TemplateDefinition

Template = TemplateAnswerTemplateValue


class Templates:
    """``baton.templates``: needs an owner's key."""

    def __init__(self, opener: SessionOpener, driver: Driver) -> None:
        self._opener = opener
        self._driver = driver

    def list(self, *, signal: Signal = None) -> list[ListedTemplate]:
        """All templates that are not retired, sorted by name, each in its newest version."""
        answer = self._request("GET", "", None, signal)
        found: list[ListedTemplate] = answer["templates"]
        return found

    def get(self, name: str, *, signal: Signal = None) -> Template:
        """The newest version, or with ``name@3`` that version."""
        return self._request_template("GET", name, None, signal)

    def put(
        self, name: str, definition: TemplateDefinition, *, signal: Signal = None
    ) -> Template:
        """Creates a template, or the next version of an existing one."""
        return self._request_template("PUT", name, definition, signal)

    def retire(self, name: str, *, signal: Signal = None) -> Template:
        """Retires the template: no new sessions are created from it; existing sessions continue."""
        return self._request_template("DELETE", name, None, signal)

    def _request_template(
        self, method: str, name: str, body: Any, signal: Signal
    ) -> Template:
        template: Template = (self._request(method, f"/{quoted(name)}", body, signal))[
            "template"
        ]
        return template

    def _request(self, method: str, path: str, body: Any, signal: Signal) -> Any:
        url = f"{self._opener.url}/templates{path}"
        flow = request_with_key(self._opener.config, method, url, body)
        return require_success(self._driver.run(flow, signal)).body
