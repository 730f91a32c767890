"""Answers every text of a person with the same text, each once.

GATEWAY=http://127.0.0.1:8787 TOKEN=mgi_… python3 echo_bot.py
"""

import os

from msgnet_gateway import GatewayError, InstanceClient, OutcomeUnknown

shop = InstanceClient(os.environ["GATEWAY"], os.environ["TOKEN"])

# A program that keeps the last `seq` goes on there after a restart.
for event in shop.stream(after=int(os.environ.get("AFTER", "0"))):
    if event["EventType"] != "messages":
        continue
    message = event["message"]
    if message["fromMe"] or message["isGroup"] or not message["text"]:
        continue
    try:
        # The event's id as the key: an event that is handled twice is answered once.
        sent = shop.send_text(
            number=message["chatid"],
            text=f"You said: {message['text']}",
            idempotency_key=event["eventId"],
        )
        print(f"{event['seq']}: answered with {sent['messageid']}", flush=True)
    except OutcomeUnknown as unknown:
        print(f"{event['seq']}: perhaps answered, {unknown.messageid}", flush=True)
    except GatewayError as refused:
        print(f"{event['seq']}: not answered, {refused}", flush=True)
