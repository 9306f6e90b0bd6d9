"""A chat in which two people play Kalah, driven by webhooks: nothing is ever asked for.

Commands come as lines (``/play amara bola``, ``/move C``), as a chat would post them;
what the bot says goes to the terminal. Seedlog calls ``/hooks`` whenever somebody is to
move or a match is over.

    SEEDLOG_URL=... SEEDLOG_KEY=... python -m tests.examples.chat_bot
"""

import os
import sys
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TextIO

from services.client import InvalidSignature, Problem, Seedlog, verify_webhook
from services.client.shapes import WebhookBody

LARGEST_BODY = 64 * 1024


@dataclass
class Table:
    """Who plays in this chat, the turn that was told last, and what was told so far."""

    match_id: str
    names: dict[str, str]
    seat: str = ""
    version: int = 0
    heard: set[str] = field(default_factory=set)  # a webhook may come twice


class ChatBot:
    """Keeps the matches of one chat."""

    def __init__(self, app: Seedlog, says: TextIO) -> None:
        """Speak with Seedlog by *app*, and to the chat by *says*."""
        self.app, self.says = app, says
        self.tables: dict[str, Table] = {}  # by the id of their match
        self.secret = ""
        self.lock = Lock()

    def listen(self) -> ThreadingHTTPServer:
        """Serve a free port, and have Seedlog tell us there of turns and ends."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), hooks_of(self))
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/hooks"
        events = ["match.your_turn", "match.ended"]
        self.secret = self.app.webhooks.create(url, events)["secret"]
        return server

    def read(self, line: str) -> None:
        """Take a command from the chat."""
        match line.split():
            case ["/play", first, second]:
                with self.lock:  # the first turn may be told before this is known
                    seats = {"south": {"kind": "human"}, "north": {"kind": "human"}}
                    match_id = self.app.open_match("kalah", seats)["id"]
                    names = {"south": first, "north": second}
                    self.tables[match_id] = Table(match_id, names)
            case ["/move", move] if self.tables:
                self.play([*self.tables.values()][-1], move)
            case _:
                self.say("/play NAME NAME begins, then /move PIT")

    def play(self, table: Table, move: str) -> None:
        """Play for whoever is to move."""
        try:
            self.app.play(table.match_id, move, version=table.version, seat=table.seat)
        except Problem as refused:
            self.say(f"no: {refused.facts['detail']}")

    def hear(self, webhook_id: str, told: WebhookBody) -> None:
        """Say what a webhook tells, once."""
        data = told["data"]
        with self.lock:
            table = self.tables.get(data.get("match", ""))
            if table is None or webhook_id in table.heard:
                return
            table.heard.add(webhook_id)
            if told["type"] == "match.your_turn":
                table.seat, table.version = data["seat"], data["version"]
                legal = " ".join(data["legal_moves"])
                self.say(f"{table.names[table.seat]}, your turn: {legal}")
            else:
                winner = table.names.get(data["data"]["winner"], "nobody")
                self.say(f"{winner} wins by {data['data']['reason']}")
                del self.tables[table.match_id]

    def say(self, text: str) -> None:
        """Say something in the chat."""
        print(text, file=self.says, flush=True)


def hooks_of(bot: ChatBot) -> type[BaseHTTPRequestHandler]:
    """Return what answers webhooks: 204 for what was taken, 400 for what is not so."""

    class Hooks(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(min(length, LARGEST_BODY))
            try:
                told = verify_webhook(bot.secret, dict(self.headers), body)
            except InvalidSignature:
                self.send_error(400)
                return
            bot.hear(self.headers["webhook-id"], told)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing: this is a chat."""

    return Hooks


def main() -> None:
    """Read the chat from the terminal until it ends."""
    with Seedlog(os.environ["SEEDLOG_URL"], os.environ["SEEDLOG_KEY"]) as app:
        bot = ChatBot(app, sys.stdout)
        bot.listen()
        for line in sys.stdin:
            bot.read(line)


if __name__ == "__main__":
    main()
