"""Verifies received notices. Needs ``baton-client[webhooks]``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

try:
    from standardwebhooks import Webhook, WebhookVerificationError
except ImportError as error:
    raise ImportError("baton.webhooks needs: pip install 'baton-client[webhooks]'") from error


def verify(
    body: bytes | str, headers: Mapping[str, str], secret: str | Sequence[str]
) -> dict[str, Any]:
    """Returns the posted notice. Raises ``WebhookVerificationError`` for anything else.

    ``body`` is the request's body as it arrived, not parsed and serialized again. ``secret`` is the
    secret of the endpoint (``whsec_…``); pass both while a secret is replaced. A notice may arrive
    more than once: ``headers["webhook-id"]`` is the same each time.
    """
    text = body.decode() if isinstance(body, bytes) else body
    lowered = {name.lower(): value for name, value in headers.items()}
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets:
        raise ValueError("Give the endpoint's secret.")
    for index, one in enumerate(secrets):
        try:
            Webhook(one).verify(text, lowered)
            break
        except WebhookVerificationError:
            if index == len(secrets) - 1:
                raise
    notice: dict[str, Any] = json.loads(text)
    return notice


__all__ = ["WebhookVerificationError", "verify"]
