"""Verifies deliveries on the receiver's side (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import List, Mapping, Optional, Sequence, Union, cast

from .errors import WebhookRefused
from .types import Envelope

TOLERANCE = 300


def verify_webhook(
    body: Union[bytes, bytearray, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = TOLERANCE,
    now: Optional[float] = None,
) -> Envelope:
    """The envelope of a delivery if its signature is valid; else raises WebhookRefused.

    `body` is what came, before anything has parsed it: `request.get_data()` in Flask,
    `request.body` in Django, `await request.body()` in FastAPI. While a secret is being
    changed pass both: one that fits is enough.
    """
    if isinstance(body, str):
        body = body.encode()
    if not isinstance(body, (bytes, bytearray)):
        raise TypeError(
            "verify_webhook needs the raw bytes that came, not a parsed body"
        )
    raw = bytes(body)
    keys = [_decode_secret(each) for each in _check_secrets(secret)]
    given = {name.lower(): value for name, value in headers.items()}
    event_id = _require(given, "webhook-id")
    timestamp = _require(given, "webhook-timestamp")
    signatures = _require(given, "webhook-signature").split(" ")
    _check_age(timestamp, time.time() if now is None else now, tolerance)

    signed = f"{event_id}.{timestamp}.".encode() + raw
    macs = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    fits = [
        hmac.compare_digest(f"v1,{base64.b64encode(mac).decode()}".encode(), one)
        for mac in macs
        for one in (signature.encode() for signature in signatures)
    ]
    if not any(fits):
        raise WebhookRefused(
            "no_signature_fits",
            "No signature fits: another secret, or the body is not what came byte for byte.",
        )
    return cast(Envelope, json.loads(raw))


def _check_secrets(secret: Union[str, Sequence[str]]) -> List[str]:
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if not secrets:
        raise TypeError("verify_webhook needs the secret the webhook was saved with")
    for each in secrets:
        if not isinstance(each, str) or not re.fullmatch(r"[\x21-\x7e]+", each):
            raise TypeError(
                "A secret is empty, or has a space or a line break: is the variable set?"
            )
    return secrets


def _require(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if value:
        return value
    signature = name == "webhook-signature"
    why = ": was the webhook saved with a secret?" if signature else "."
    raise WebhookRefused("header_missing", f"The delivery has no {name}{why}")


def _check_age(timestamp: str, now: float, tolerance: float) -> None:
    if not re.fullmatch(r"[0-9]+", timestamp):
        raise WebhookRefused(
            "timestamp_unreadable", "The webhook-timestamp is no number of seconds."
        )
    # As an integer, thousands of digits would be an error of another kind.
    age = now - float(timestamp)
    if age > tolerance:
        raise WebhookRefused("too_old", f"The timestamp is {age:.0f} s old: a replay?")
    if -age > tolerance:
        raise WebhookRefused("too_new", f"The timestamp is {-age:.0f} s ahead.")


def _decode_secret(secret: str) -> bytes:
    """`whsec_` and base64 of 24 to 64 bytes is those bytes; else its own ASCII."""
    if secret.startswith("whsec_"):
        try:
            # The gateway takes it without the "=" at its end too.
            text = secret[len("whsec_") :].rstrip("=")
            key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        except (binascii.Error, ValueError):
            return secret.encode()
        if 24 <= len(key) <= 64:
            return key
    return secret.encode()
