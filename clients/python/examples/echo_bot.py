"""Answers every text of a person with the same text, each once.

GATEWAY=http://127.0.0.1:8787 TOKEN=mgi_… python3 echo_bot.py
"""

import os
import time

from msgnet_gateway import (
    GatewayError,
    GatewayUnreachable,
    InstanceClient,
    OutcomeUnknown,
)

shop = InstanceClient(os.environ["GATEWAY"], os.environ["TOKEN"])


def answer(number, text, key):
    """While the gateway is away, it is asked again with the same key."""
    while True:
        try:
            return shop.send_text(number=number, text=text, idempotency_key=key)
        except GatewayUnreachable:
            time.sleep(2)


# A program that keeps the last `seq` goes on there after a restart.
for event in shop.stream(after=int(os.environ.get("AFTER", "0"))):
    if event["EventType"] != "messages":
        continue
    message = event["message"]
    if message["fromMe"] or message["isGroup"] or not message["text"]:
        continue
    try:
        # The event's id as the key: an event that is handled twice is answered once.
        text = f"You said: {message['text']}"
        sent = answer(message["chatid"], text, key=event["eventId"])
        print(f"{event['seq']}: answered with {sent['messageid']}", flush=True)
    except OutcomeUnknown as unknown:
        print(f"{event['seq']}: perhaps answered, {unknown.messageid}", flush=True)
    except GatewayError as refused:
        print(f"{event['seq']}: not answered, {refused}", flush=True)
