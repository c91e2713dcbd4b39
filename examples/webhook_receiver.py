"""Receives webhooks with Python only: python webhook_receiver.py <port> <secret> [<newer secret>]

It accepts only signed and recent requests, does the work once for each webhook-id, and answers 2xx only
after the work is done, so that Baton retries if it fails.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEYS = [base64.b64decode(secret.removeprefix("whsec_")) for secret in sys.argv[2:]]
FRESH_SECONDS = 300
# Keep this in your database, in the transaction that does the work.
DONE: set[str] = set()


def is_genuine(headers, body: bytes) -> bool:
    message_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > FRESH_SECONDS:
        return False
    signed = f"{message_id}.{sent_at}.".encode() + body
    wanted = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in KEYS]
    given = [
        signature.encode()
        for version, _, signature in (
            one.partition(",") for one in headers.get("webhook-signature", "").split()
        )
        if version == "v1"
    ]
    return any(hmac.compare_digest(one, mac) for one in given for mac in wanted)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        # The signature covers these bytes: parsing and serializing the JSON would change them.
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_genuine(self.headers, body):
            self.send_response(401)
        else:
            message_id = self.headers["webhook-id"]
            if message_id not in DONE:
                notice = json.loads(body)
                data = notice["data"]
                print(notice["type"], data.get("sessionId"), data["seq"], flush=True)
                DONE.add(message_id)
            self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Only notices are printed."""


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print("listening", flush=True)
server.serve_forever()
