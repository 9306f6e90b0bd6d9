"""The server of a page on another origin: it holds the API key, the page never does.

``POST /match`` opens a match of Reversi and hands out the tokens of both seats, as an
app would to two of its users; the page does the rest with Seedlog itself.

    SEEDLOG_URL=... SEEDLOG_KEY=... python -m tests.examples.two_seats 8080
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from services.client import Seedlog

PAGE = Path(__file__).with_name("two_seats.html").read_text("utf-8")


def server_of(app: Seedlog, url: str, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of the page for the Seedlog at *url*."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer("text/html; charset=utf-8", PAGE.replace("SEEDLOG_URL", url))

        def do_POST(self) -> None:  # an app would ask here who this is
            human = {"kind": "human"}
            opened = app.open_match("reversi", {"black": human, "white": human})
            given = {"id": opened["id"], "tokens": opened["seat_tokens"]}
            self.answer("application/json", json.dumps(given))

        def answer(self, content_type: str, text: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            # Scripts come from this page and from Seedlog, and from nowhere else.
            policy = f"script-src 'unsafe-inline' {url}; object-src 'none'"
            self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main(port: str = "8080") -> None:
    """Serve until Ctrl-C."""
    url = os.environ["SEEDLOG_URL"]
    with Seedlog(url, os.environ["SEEDLOG_KEY"]) as app:
        server_of(app, url, int(port)).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
