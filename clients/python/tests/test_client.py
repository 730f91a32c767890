"""Requests, their repeats, pages and streams, against a gateway that answers to order."""

from __future__ import annotations

import json
import unittest
from typing import Any, List, Tuple

from msgnet_gateway import (
    NEVER,
    AdminClient,
    GatewayError,
    GatewayUnreachable,
    InstanceClient,
    OutcomeUnknown,
)

from .stub import BROKEN, Answer, Stub

SENT = Answer(200, {"messageid": "3EB0", "status": "Sent"})


def refusal(status: int, code: str, **headers: str) -> Answer:
    shown = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"error": code, "messageid": "3EB0"}, shown)


class ClientTest(unittest.TestCase):
    def open(self, *answers: Answer, **options: Any) -> Tuple[Stub, InstanceClient]:
        stub = Stub(*answers)
        self.addCleanup(stub.close)
        client = InstanceClient(stub.url, "mgi_one", **options)
        self.pauses: List[float] = []
        client._sender.sleep = self.pauses.append
        return stub, client

    def send(self, client: InstanceClient, **options: Any) -> Any:
        return client.send_text(number="5511999999999", text="Olá", **options)

    def test_a_request_has_credential_key_and_what_was_passed(self) -> None:
        stub, client = self.open(SENT)
        sent = self.send(client, idempotency_key="order-7", wait_seconds=5)
        self.assertEqual(sent["messageid"], "3EB0")
        (request,) = stub.requests
        self.assertEqual((request.method, request.path), ("POST", "/send/text"))
        self.assertEqual(request.body, {"number": "5511999999999", "text": "Olá"})
        self.assertEqual(request.headers["token"], "mgi_one")
        self.assertEqual(request.headers["idempotency-key"], "order-7")
        self.assertEqual(request.headers["prefer"], "wait=5")

    def test_an_outcome_that_stays_unknown_names_message_and_key(self) -> None:
        _, client = self.open(refusal(504, "outcome_unknown"), repeats=NEVER)
        with self.assertRaises(OutcomeUnknown) as raised:
            self.send(client, idempotency_key="order-8")
        self.assertEqual(raised.exception.messageid, "3EB0")
        self.assertEqual(raised.exception.idempotency_key, "order-8")

    def test_a_proxy_s_own_answer_has_the_code_not_json(self) -> None:
        _, client = self.open(Answer(502, b"<h1>Bad gateway</h1>"), repeats=NEVER)
        with self.assertRaises(GatewayError) as raised:
            client.get_status()
        self.assertEqual(raised.exception.code, "not_json")

    def test_pages_are_gone_through(self) -> None:
        first = Answer(200, {"messages": [1, 2], "hasMore": True, "nextOffset": 2})
        last = Answer(200, {"messages": [3], "hasMore": False, "nextOffset": 3})
        stub, client = self.open(first, last)
        self.assertEqual(list(client.iterate_messages(chatid="1@g.us")), [1, 2, 3])
        self.assertEqual(stub.requests[1].body, {"chatid": "1@g.us", "offset": 2})

    def test_events_are_gone_through_oldest_first_after_a_seq(self) -> None:
        pages = [Answer(200, {"events": [{"seq": n}]}) for n in (8, 9)]
        stub, client = self.open(*pages, Answer(200, {"events": []}))
        seen = [event["seq"] for event in client.iterate_events(after_seq=7)]
        self.assertEqual(seen, [8, 9])
        paths = [request.path for request in stub.requests]
        self.assertEqual(paths, [f"/v1/events?afterSeq={n}" for n in (7, 8, 9)])

    def test_a_stream_goes_on_after_the_last_event(self) -> None:
        newest = Answer(200, {"events": [{"seq": 3}]})
        lines = b': welcome\n\nid: 4\ndata: {"seq": 4}\n\ndata: {"seq": 0}\n\n'
        lines += b'data: {"se'
        more = Answer(200, b'data: {"seq": 5}\n\n')
        stub, client = self.open(newest, Answer(200, lines), BROKEN, more)
        stream = client.stream()
        seen = [next(stream)["seq"] for _ in range(3)]
        self.assertEqual(seen, [4, 0, 5])
        after = [request.headers.get("last-event-id") for request in stub.requests]
        self.assertEqual(after, [None, "3", "4", "4"])

    def test_an_export_that_breaks_off_raises(self) -> None:
        stub = Stub(Answer(200, b'{"type": "call"}\n'))
        self.addCleanup(stub.close)
        lines = AdminClient(stub.url, "mga_one").export_instance("a/b")
        self.assertEqual(next(lines), {"type": "call"})
        with self.assertRaises(GatewayUnreachable):
            next(lines)
        self.assertEqual(stub.requests[0].path, "/v1/instances/a%2Fb/export")

    def test_a_credential_is_sent_line_by_line_as_it_comes(self) -> None:
        lines = [{"format": "baileys"}, {"kind": "creds"}, {"end": True, "rows": 1}]
        stub, client = self.open(Answer(200, {"imported": {"rows": 1}}))
        result = client.import_credential(
            json.dumps(line).encode() + b"\n" for line in lines
        )
        self.assertEqual(result["imported"]["rows"], 1)
        (request,) = stub.requests
        self.assertEqual((request.method, request.path), ("POST", "/instance/import"))
        self.assertEqual(request.body, lines)
        self.assertEqual(request.headers["transfer-encoding"], "chunked")
        self.assertEqual(request.headers["token"], "mgi_one")

    def test_a_refused_credential_raises_and_is_not_sent_again(self) -> None:
        stub, client = self.open(refusal(503, "worker_full", retry_after="1"))
        with self.assertRaises(GatewayError) as raised:
            client.import_credential([b'{"format": "baileys"}\n'])
        self.assertEqual(raised.exception.code, "worker_full")
        self.assertEqual((len(stub.requests), self.pauses), (1, []))


if __name__ == "__main__":
    unittest.main()
