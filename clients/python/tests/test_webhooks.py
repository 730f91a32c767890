"""Deliveries: what is signed is taken, on the bytes that came, and the rest is refused."""

from __future__ import annotations

import unittest
from typing import Any, Dict

from msgnet_gateway import WebhookRefused, verify_webhook

BODY = b'{"EventType":"test","eventId":"0b8f2c1d-9a53-4f0e-8a43-6f1f6b1d2c11","seq":0}'
AT = 1789635720
SECRET = "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
SIGNATURE = "v1,BLFwR4t20VysQs1uybdGe0kRhbDeShMoz+nMhU+sswk="
PLAIN = "v1,4cXSwLFVNx3RQYECn0WnJiTBzh45Rd46hGvYDlHc2Kg="


def headers(signature: str = SIGNATURE, **changed: str) -> Dict[str, str]:
    return {
        "Webhook-Id": "0b8f2c1d-9a53-4f0e-8a43-6f1f6b1d2c11",
        "Webhook-Timestamp": changed.get("timestamp", str(AT)),
        "Webhook-Signature": signature,
    }


class WebhookTest(unittest.TestCase):
    def test_the_published_signatures_fit(self) -> None:
        self.assertEqual(verify_webhook(BODY, headers(), SECRET, now=AT)["seq"], 0)
        verify_webhook(BODY, headers(), SECRET.rstrip("="), now=AT)
        verify_webhook(BODY.decode(), headers(PLAIN), "plain-secret", now=AT)
        both = headers(f"v1,AAAA {SIGNATURE}")
        verify_webhook(BODY, both, ["another", SECRET], now=AT)

    def test_the_rest_is_refused_with_a_reason(self) -> None:
        unsigned = headers("")
        for reason, body, given, secret, now in (
            ("no_signature_fits", BODY, headers(), "another", AT),
            ("no_signature_fits", BODY + b" ", headers(), SECRET, AT),
            ("no_signature_fits", BODY, headers("v1,ö"), SECRET, AT),
            ("too_old", BODY, headers(), SECRET, AT + 600),
            ("too_new", BODY, headers(), SECRET, AT - 600),
            ("too_new", BODY, headers(timestamp="9" * 5000), SECRET, AT),
            ("timestamp_unreadable", BODY, headers(timestamp="x"), SECRET, AT),
            ("header_missing", BODY, unsigned, SECRET, AT),
        ):
            with self.assertRaises(WebhookRefused) as raised:
                verify_webhook(body, given, secret, now=now)
            self.assertEqual(raised.exception.reason, reason)

    def test_a_wrong_call_is_a_type_error(self) -> None:
        parsed: Any = {"seq": 0}
        for body, secret in ((parsed, SECRET), (BODY, ""), (BODY, f"{SECRET}\n")):
            with self.assertRaises(TypeError):
                verify_webhook(body, headers(), secret, now=AT)


if __name__ == "__main__":
    unittest.main()
