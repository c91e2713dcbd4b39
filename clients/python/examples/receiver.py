"""Receives notices and accepts only signed ones: `python receiver.py whsec_…`."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from baton.webhooks import WebhookVerificationError, verify

SEEN: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            notice = verify(body, dict(self.headers), sys.argv[1])
        except WebhookVerificationError:
            self.send_response(401)
        else:
            self.send_response(204)
            # The same notice may arrive twice, with the same id.
            if self.headers["webhook-id"] not in SEEN:
                SEEN.add(self.headers["webhook-id"])
                print(notice["type"], notice["data"]["sessionId"], flush=True)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Only notices are printed."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(f"receiving on http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
