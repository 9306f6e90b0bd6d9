"""A page of another origin plays and follows, in a real browser."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.stream.streams import SECRET, Running
from tests.support.page_driver import running_browser
from tests.support.serving import serving

ALLOW = "Access-Control-Allow-Origin"
PLAY = """
async ([api, key]) => {
  const headers = {Authorization: `Bearer ${key}`, 'Content-Type': 'application/json'};
  const call = (path, body, more) => fetch(api + path, body
    ? {method: 'POST', headers: {...headers, ...more}, body: JSON.stringify(body)}
    : {headers: {...headers, ...more}});
  const human = {kind: 'human'};
  const opened = await call('/v1/matches',
    {game: 'kalah', seats: {south: human, north: human}}, {'Idempotency-Key': 'open'});
  const match = await opened.json();
  const stream = await fetch(`${match.stream_url}?after=3`,
    {headers: {...headers, Accept: 'application/x-ndjson', 'Last-Event-ID': '3'}});
  const played = await call(`/v1/matches/${match.id}/moves`, {move: 'C', seat: 'south'},
    {'If-Match': opened.headers.get('ETag'), 'X-Request-Id': 'from-a-page'});
  const refused = await call(`/v1/matches/${match.id}/moves`,
    {move: 'a', seat: 'north'}, {'If-Match': played.headers.get('ETag')});
  const large = await call('/v1/matches', {game: 'x'.repeat(70000)});
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  let told = '';
  while (!told.includes('match.move_played')) told += (await reader.read()).value;
  await reader.cancel();
  return {
    location: opened.headers.get('Location'), id: match.id,
    etag: played.headers.get('ETag'), request: played.headers.get('X-Request-Id'),
    problem: (await refused.json()).type, large: (await large.json()).type,
  };
}
"""
TRY = """
async (urls) => Promise.all(urls.map(
  (url) => fetch(url, {headers: {Authorization: 'Bearer x'}}).then(
    (answer) => answer.status, (error) => error.name)))
"""


class Page(SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing of it."""

    def log_message(self, *_: Any) -> None:
        """Keep silent."""


@contextmanager
def page_on(address: str, folder: Path) -> Iterator[int]:
    """Serve an empty page at an address; yield its port."""
    (folder / "index.html").write_text("<!doctype html><title>An app</title>")
    server = ThreadingHTTPServer((address, 0), partial(Page, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_page_of_an_allowed_origin_plays_and_follows(
    running: Running, redis_url: str, tmp_path: Path, chromium: str
) -> None:
    """Another one can call neither."""
    with ExitStack() as stack:
        allowed = (
            f"http://localhost:{stack.enter_context(page_on('127.0.0.1', tmp_path))}"
        )
        other = (
            f"http://127.0.0.2:{stack.enter_context(page_on('127.0.0.2', tmp_path))}"
        )
        streams = running(redis_url, SEEDLOG_ORIGINS=allowed)
        settings = {
            "REDIS_URL": redis_url,
            "SEEDLOG_DATA": str(tmp_path),
            "SEEDLOG_SECRET": SECRET,
            "SEEDLOG_STREAM_PORT": str(streams.port),
            "SEEDLOG_ORIGINS": allowed,
        }
        api = stack.enter_context(
            serving(
                stack.enter_context((tmp_path / "log").open("w+b")),
                "--threads=4",
                worker="services.http.wire.worker.Worker",
                app="services.api.wsgi:app()",
                **settings,
            )
        )
        url = f"http://127.0.0.1:{api.port}"
        page = stack.enter_context(running_browser(chromium)).new_page()
        page.goto(allowed)
        told = page.evaluate(PLAY, [url, streams.key])
        page.goto(other)
        tried = page.evaluate(
            TRY, [f"{url}/v1/games", f"http://127.0.0.1:{streams.port}/v1/stream"]
        )

    assert told.pop("id") == told.pop("location").rpartition("/")[2]
    assert told == {
        "etag": '"4"',
        "request": "from-a-page",
        "problem": "/problems/not-your-turn",
        "large": "/problems/body-too-large",
    }
    assert tried == ["TypeError", "TypeError"]


def test_streams_know_the_origins_by_both_settings(
    running: Running, redis_url: str
) -> None:
    """The former one names all of them; the one for both adds to the same host."""
    app, own = "https://app.example", "http://127.0.0.1:8000"
    both = running(redis_url, SEEDLOG_ORIGINS=app)
    former = running(redis_url, SEEDLOG_STREAM_ORIGINS=app)

    def allows(streams: Any, origin: str) -> bool:
        answer = streams.get("/v1/stream", Origin=origin)
        assert "Origin" in answer.headers["Vary"]
        assert answer.headers["X-Request-Id"]
        return answer.headers.get(ALLOW) == origin

    assert [allows(both, o) for o in (app, own, "http://x.example")] == [
        True,
        True,
        False,
    ]
    assert [allows(former, o) for o in (app, own)] == [True, False]
