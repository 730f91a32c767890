"""An inbox that keeps what an instance tells it, and sends by what it knows.

GATEWAY=… TOKEN=… SECRET=… PORT=3000 python3 inbox.py
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from msgnet_gateway import GatewayError, InstanceClient, WebhookRefused, verify_webhook

ENDS = ("logged_out", "replaced", "banned")

shop = InstanceClient(os.environ["GATEWAY"], os.environ["TOKEN"])
# Each delivery as it came. A program keeps them in its database, and answers 2xx when they are there.
deliveries = []


def read_book():
    """What is true after all events, each once and in the order of `seq`, in whichever order they came."""
    events = {event["eventId"]: event for event in list(deliveries)}
    in_order = sorted(events.values(), key=lambda event: event["seq"])
    book = {"messages": {}, "reactions": {}, "votes": {}, "states": {}, "left": [], "ended": ""}
    new_texts = {}
    for event in in_order:
        note(book, new_texts, event)
    messages = [
        {**message, "text": new_texts.get(message["id"], message["text"])}
        for message in book["messages"].values()
        if book["states"].get(message["id"]) != "Deleted"
    ]
    repeated = len(deliveries) - len(events)
    return {**book, "messages": messages, "repeated": repeated, "missing": count_missing(in_order)}


def note(book, new_texts, event):
    kind = event["EventType"]
    if kind == "messages" and event["message"]["reaction"]:
        message = event["message"]
        # One of a person to a message: the newest. An empty text takes it back.
        book["reactions"][f"{message['reaction']} {message['sender']}"] = message["text"]
    elif kind == "messages":
        message = event["message"]
        late, gone = message["late"], message["content"].get("disappearsAt", 0)
        book["messages"][message["messageid"]] = {
            "id": message["messageid"],
            "text": message["text"],
            "mayAnswer": not (message["fromMe"] or late),
            "disappearsAfter": gone and gone - message["messageTimestamp"],
        }
    elif kind == "messages_edit" and not event["event"].get("unreadable"):
        # Its message may come later.
        new_texts[event["event"]["messageid"]] = event["event"]["text"]
    elif kind == "messages_update" and event["state"] == "Voted":
        book["votes"][f"{event['event']['MessageIDs'][0]} {event['event']['Sender']}"] = event["event"]["vote"]
    elif kind == "messages_update":
        for messageid in event["event"]["MessageIDs"]:
            book["states"][messageid] = event["state"]
    elif kind == "groups" and any(event["owner"] in left for left in event["event"]["Leave"]):
        book["left"].append(event["event"]["JID"])
    elif kind == "connection":
        reason = event["instance"]["lastDisconnectReason"]
        book["ended"] = reason if event["instance"]["status"] == "disconnected" and reason in ENDS else ""


def count_missing(in_order):
    return in_order[-1]["seq"] - in_order[0]["seq"] + 1 - len(in_order) if in_order else 0


def send(order):
    """With a key of the caller's: what has no answer is asked for again by the client, with the same key."""
    book = read_book()
    if book["ended"] or order["number"] in book["left"]:
        return {"status": 0, "error": book["ended"] or "left"}
    try:
        return {"status": 200, "messageid": call(order, order["key"])["messageid"]}
    except GatewayError as refused:
        if refused.code != "media_unavailable":
            return {"status": refused.status, "error": refused.code}
    # Certainly without effect: with another key it is tried anew.
    return {"status": 200, "messageid": call(order, order["key"] + "-anew")["messageid"]}


def call(order, key):
    if "file" in order:
        return shop.send_media(
            number=order["number"], type="document", doc_name="prices.txt", file=order["file"], idempotency_key=key
        )
    return shop.send_text(
        number=order["number"], text=order["text"], send_at=order.get("sendAt"), idempotency_key=key
    )


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        self.reply(200, read_book())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/send":
            self.reply(200, send(json.loads(body)))
            return
        try:
            deliveries.append(verify_webhook(body, self.headers, os.environ["SECRET"]))
            self.reply(204)
        except WebhookRefused:
            self.reply(401)

    def reply(self, status, answer=None):
        self.send_response(status)
        self.end_headers()
        if answer is not None:
            self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        """Not to the terminal."""


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Server).serve_forever()
