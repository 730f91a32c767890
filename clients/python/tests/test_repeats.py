"""The cases of repeats that the clients of all languages run."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any, Dict, List

from msgnet_gateway import NEVER, GatewayError, GatewayUnreachable, InstanceClient

from .stub import BROKEN, Answer, Stub

CASES = json.loads(
    (Path(__file__).parents[2] / "repeat-cases.json").read_text(encoding="utf-8")
)


class RepeatTest(unittest.TestCase):
    def test_cases(self) -> None:
        self.assertTrue(CASES)
        for case in CASES:
            with self.subTest(case["says"]):
                self.run_case(case)

    def run_case(self, case: Dict[str, Any]) -> None:
        stub = Stub(*(read_answer(answer) for answer in case["answers"]))
        self.addCleanup(stub.close)
        repeats = NEVER if case.get("repeats") is False else None
        client = InstanceClient(stub.url, "mgi_one", repeats=repeats)
        pauses: List[float] = []
        client._sender.sleep = pauses.append
        self.assertEqual(describe_end(client, case["call"]), case["ends"])
        self.assertEqual(len(stub.requests), len(case["answers"]))
        self.assertEqual(len(pauses), len(case["pauses"]))
        for pause, expected in zip(pauses, case["pauses"]):
            least, most = expected if isinstance(expected, list) else [expected] * 2
            self.assertTrue(least <= pause <= most, pause)
        keys = {request.headers.get("idempotency-key") for request in stub.requests}
        self.assertEqual(len(keys), 1)
        self.assertEqual(None in keys, case["call"] != "send")


def describe_end(client: InstanceClient, call: str) -> str:
    try:
        if call == "send":
            client.send_text(number="5511999999999", text="x")
        elif call == "status":
            client.get_status()
        else:
            client.connect()
        return "answer"
    except GatewayError as refused:
        return refused.code
    except GatewayUnreachable:
        return "unreachable"


def read_answer(answer: Any) -> Answer:
    if answer == "broken":
        return BROKEN
    body = answer["text"].encode() if "text" in answer else {}
    if "error" in answer:
        body = {"error": answer["error"]}
    retry_after = answer.get("retryAfter")
    headers = {"retry-after": retry_after} if retry_after else {}
    return Answer(answer["status"], body, headers, answer.get("cut", False))


if __name__ == "__main__":
    unittest.main()
