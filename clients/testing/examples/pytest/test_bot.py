"""The bot on a whole gateway with a simulated network: what it answers, and what it does when something goes wrong."""

import threading

import pytest
from bot import create_bot, notify
from conftest import wait_until


@pytest.fixture
def shop(lab):
    """An instance whose events go to the bot."""
    instance = lab.create_instance()
    bot = create_bot(lab.gateway, instance["token"], lab.secret)
    threading.Thread(target=bot.serve_forever, daemon=True).start()
    lab.forward_to(f"http://127.0.0.1:{bot.server_port}", instance)
    yield instance
    lab.forward_to(None, instance)
    bot.shutdown()
    bot.server_close()


def test_answers_a_message(lab, shop):
    ana = lab.create_phone("Ana")
    lab.write(ana, shop["number"], "hello")
    wait_until(lambda: lab.read_texts(ana) == ["You said: hello"])


def test_answers_an_event_that_comes_twice_once(lab, shop):
    story = lab.play("an event that comes twice", shop)
    answer = lab.received(shop)
    both = [
        (delivery["isRepeated"], delivery["program"])
        for delivery in answer["received"]
        if delivery["envelope"].get("message", {}).get("messageid") == story["messages"][0]
    ]
    assert both == [(False, 204), (True, 204)]
    assert answer["judgement"]["wrongSignatures"] == 0
    assert answer["judgement"]["refusedByProgram"] == 0
    assert lab.read_texts(story["from"]) == ["You said: once, please"]


def test_sends_once_what_the_network_did_not_confirm(lab, shop):
    story = lab.play("a 504 that becomes true", shop)
    sent = notify(lab.gateway, shop["token"], story["to"], 7)

    def is_confirmed():
        events = [delivery["envelope"].get("event", {}) for delivery in lab.received(shop)["received"]]
        return any(sent["messageid"] in event.get("MessageIDs", []) for event in events)

    wait_until(is_confirmed)
    assert lab.read_texts(story["to"]) == ["Order 7 is on its way"]
