# A webhook receiver in Python: verifies, keeps each event once, and answers 2xx only after it is on disk.
# SECRET=whsec_… PORT=8788 DATABASE=events.db python3 receiver.py

import base64
import binascii
import hashlib
import hmac
import os
import sqlite3
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["SECRET"]
if not SECRET:  # Anybody can sign with an empty key.
    raise SystemExit("SECRET is not set")
PORT = int(os.environ.get("PORT", "8788"))
DATABASE = os.environ.get("DATABASE", "events.db")
TOLERANCE_SECONDS = 300
BODY_AT_MOST = 2 * 1024 * 1024


def connect():
    database = sqlite3.connect(DATABASE, timeout=10, isolation_level=None)
    database.execute("pragma synchronous = full")
    return database


def key_of(secret):
    """`whsec_` and base64 of 24 to 64 bytes stands for those bytes, any other secret for its own ASCII."""
    if secret.startswith("whsec_"):
        try:
            # The "=" at its end may be missing.
            text = secret[6:].rstrip("=")
            decoded = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
            if 24 <= len(decoded) <= 64:
                return decoded
        except binascii.Error:
            pass
    return secret.encode("ascii")


def is_genuine(headers, body):
    event, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not event or not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event}.{timestamp}.".encode() + body
    mac = base64.b64encode(hmac.new(key_of(SECRET), signed, hashlib.sha256).digest()).decode()
    # Several while a secret is being changed: one that fits is enough.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), f"v1,{mac}".encode()) for each in given)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        size = int(self.headers.get("content-length") or 0)
        if size > BODY_AT_MOST:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(size)
        if not is_genuine(self.headers, body):
            return self.answer(401)
        # The id is the event's on every attempt: what is there already changes nothing.
        # Work on it later, from the table: a slow answer is a failed delivery.
        database = connect()
        database.execute(
            "insert or ignore into events (id, body) values (?, ?)", (self.headers["webhook-id"], body.decode())
        )
        database.close()
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


database = connect()
database.execute("pragma journal_mode = wal")
database.execute("create table if not exists events (id text primary key, body text not null)")
database.close()
ThreadingHTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
