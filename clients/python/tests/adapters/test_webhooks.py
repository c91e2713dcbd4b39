"""Notices are accepted only by their signature."""

from __future__ import annotations

import base64
import json
import secrets
from datetime import datetime, timezone

import pytest
from standardwebhooks import Webhook

from baton.webhooks import WebhookVerificationError, verify

NOTICE = {"type": "handoff.answered", "timestamp": "2026-11-16T12:00:00Z", "data": {"seq": 7}}
BODY = json.dumps(NOTICE)


def drawn() -> str:
    return f"whsec_{base64.b64encode(secrets.token_bytes(24)).decode()}"


def signed(secret: str, at: datetime | None = None) -> dict[str, str]:
    moment = at or datetime.now(tz=timezone.utc)
    return {
        "Webhook-Id": "ses_a:7",
        "Webhook-Timestamp": str(int(moment.timestamp())),
        "Webhook-Signature": Webhook(secret).sign("ses_a:7", moment, BODY),
    }


def test_a_signed_notice_is_given_back() -> None:
    secret = drawn()
    assert verify(BODY.encode(), signed(secret), secret) == NOTICE
    assert verify(BODY, signed(secret), [drawn(), secret]) == NOTICE


def test_another_secret_another_body_and_an_old_time_are_refused() -> None:
    secret = drawn()
    for body, headers, used in (
        (BODY, signed(secret), drawn()),
        (BODY.replace("7", "8"), signed(secret), secret),
        (BODY, signed(secret, datetime(2026, 1, 1, tzinfo=timezone.utc)), secret),
        (BODY, {}, secret),
    ):
        with pytest.raises(WebhookVerificationError):
            verify(body, headers, used)
    with pytest.raises(ValueError, match="secret"):
        verify(BODY, signed(secret), [])
