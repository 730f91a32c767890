"""The laboratory as a fixture. `npx msgnet-gateway lab` starts it, before the tests."""

import json
import os
import time
import urllib.request

import pytest


def request_json(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, method=method)) as response:
        return json.load(response)


class Lab:
    def __init__(self, url):
        self.url = url
        facts = self.call("GET", "")
        self.gateway = facts["baseUrl"]
        self.simulator = facts["simulatorUrl"]
        self.secret = facts["receiver"]["secret"]

    def call(self, method, path, body=None):
        return request_json(method, self.url + path, body)

    def create_instance(self):
        return self.call("POST", "/instances", {})

    def create_phone(self, name):
        return self.call("POST", "/phones", {"name": name})["number"]

    def write(self, sender, to, text):
        body = {"from": sender, "to": to, "text": text}
        return request_json("POST", self.simulator + "/messages", body)["id"]

    def read_texts(self, number):
        inbox = request_json("GET", f"{self.simulator}/phones/{number}/inbox")
        return [message["text"] for message in inbox["messages"]]

    def forward_to(self, program, instance):
        self.call("POST", "/receiver", {"forwardTo": program, "instance": instance["id"]})

    def received(self, instance):
        return self.call("GET", f"/receiver?instance={instance['id']}")

    def play(self, story, instance):
        return self.call("POST", "/stories", {"story": story, "instance": instance["id"]})


def wait_until(condition, seconds=60):
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def lab():
    return Lab(os.environ.get("MSGNET_LAB", "http://127.0.0.1:8786/lab"))
