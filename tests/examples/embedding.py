"""A site that shows matches of Seedlog in a page of its own, with two lines of HTML.

Its server holds the API key: it opens a match against an AI and writes the token of the
seat, and one for spectators, into the page. Seedlog lets the pages of its origin in:

    seedlog tenants origins ten_local http://127.0.0.1:8080
    SEEDLOG_URL=... SEEDLOG_KEY=... python -m tests.examples.embedding 8080
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from services.client import Seedlog

PAGE = Path(__file__).with_name("embedding.html").read_text("utf-8")


def page_of(app: Seedlog, url: str) -> str:
    """Open a match, and return the page that shows it."""
    seats = {"south": {"kind": "human"}, "north": {"kind": "ai", "level": 1}}
    opened = app.open_match("kalah", seats, options={"seeds": 2})
    spectators = app.issue_spectator_token(opened["id"])
    facts = {
        "SEEDLOG_URL": url,
        "MATCH": opened["id"],
        "SEAT_TOKEN": opened["seat_tokens"]["south"],
        "SPECTATOR_TOKEN": spectators["token"],
    }
    page = PAGE
    for name, value in facts.items():
        page = page.replace(name, value)
    return page


def server_of(
    app: Seedlog, url: str, streams: str, port: int = 0
) -> ThreadingHTTPServer:
    """Return a server of the page; *url* and *streams* say where Seedlog is."""
    # What a strict site allows for it: its scripts and styles, its API and streams.
    policy = (
        f"default-src 'self'; script-src 'unsafe-inline' {url}; "
        f"style-src 'unsafe-inline' {url}; connect-src {url} {streams}; img-src data:"
    )

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_page = self.path == "/"
            body = page_of(app, url).encode() if is_page else b""
            self.send_response(200 if is_page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
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
        streams = os.environ.get("SEEDLOG_STREAM_URL", "http://127.0.0.1:8001")
        server_of(app, url, streams, int(port)).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
