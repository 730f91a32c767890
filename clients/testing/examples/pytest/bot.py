"""A bot that answers every text of a person, each once."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from msgnet_gateway import GatewayError, GatewayUnreachable, InstanceClient, WebhookRefused, verify_webhook


def create_bot(gateway, token, secret):
    """`secret`: with which the webhook was saved."""
    shop = InstanceClient(gateway, token)

    def answer(event):
        if event["EventType"] != "messages":
            return
        message = event["message"]
        if message["fromMe"] or message["isGroup"] or message.get("late") or not message["text"]:
            return
        # The event's id as the key: an event that comes twice is answered once.
        text = f"You said: {message['text']}"
        shop.send_text(number=message["chatid"], text=text, idempotency_key=event["eventId"])

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                answer(verify_webhook(body, self.headers, secret))
                self.reply(204)
            except WebhookRefused:
                self.reply(401)
            except (GatewayError, GatewayUnreachable):
                # What could not be answered comes again.
                self.reply(500)

        def reply(self, status):
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            """Not to the output of the tests."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Receiver)


def notify(gateway, token, number, order):
    """An outcome that is unknown is asked for by the client, with the same key."""
    shop = InstanceClient(gateway, token)
    return shop.send_text(
        number=number, text=f"Order {order} is on its way", idempotency_key=f"order-{order}"
    )
