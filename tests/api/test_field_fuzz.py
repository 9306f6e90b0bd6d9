"""Every field that is read, with bad values: a clear refusal, and nothing recorded.

Fields are those of the contract: of bodies, queries, paths and headers.
`SEEDLOG_FUZZ_REQUESTS=100000` asks for the long run; a failure tells seed and number.
"""

import json
import os
import random
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from werkzeug.test import TestResponse

from services.eventlog import RedisEventLog
from tests.api.examples import GOOD, PLACES, QUERIES, holder, own_places, prepare
from tests.support.app import Client
from tests.support.bad_values import TEXTS, bad_body, bad_value
from tests.support.contract import check_schema, operations, resolve

OPERATIONS = operations()
REQUESTS = int(os.environ.get("SEEDLOG_FUZZ_REQUESTS", "3000")) // len(OPERATIONS) + 1
SEED = int(os.environ.get("SEEDLOG_FUZZ_SEED", "1"))
ANY = 10**8
UNLIMITED = {
    **dict.fromkeys(("rate_per_key", "rate_per_token", "rate_per_address"), ANY),
    **dict.fromkeys(("rate_guesses", "rate_analyses"), ANY),
    **dict.fromkeys(("guests_per_address", "guests_total"), ANY),
    "open_matches": 0,
    "webhook_endpoints": 1000,
    "seeks": 10_000,
}
HEADERS = {
    "Authorization": ["Bearer", "Bearer  ", "Basic eDp5", "Bearer sk_\xff", "bearer x"],
    "Idempotency-Key": ["", "a b", "\xff", "k" * 201, "\t"],
    "If-Match": [
        "*",
        '"1',
        '"-1"',
        '"99999999999"',
        'W/"1"',
        '"1", "2"',
        '"x"',
        "\xff",
    ],
    "If-None-Match": ["*", '"1"', "\xff", 'W/"1", "x'],
    "Accept": ["", "*/*;q=x", "text/event-stream", "\xff", "a" * 900, "application/x"],
    "Accept-Language": ["", "xx", "\xff, *;q=9", "pa-Guru;q=0.5,", "en" * 300],
    "Content-Type": ["", "text/plain", "application/json; charset=utf-16", "\xff", "/"],
    "Content-Encoding": ["gzip", "identity", "\xff"],
    "X-Request-Id": ["", "a b", "\xff", "x" * 65, "a:b"],
    "Last-Event-ID": ["-1", "x", "\xff"],
    "Prefer": ["wait=9"],
    "X-Forwarded-For": ["1.2.3.4", "x", "::1%a"],
}
"""Headers that are read, with values that are wrong in some way or other."""


class Fuzzer:
    """Sends one operation's request with something wrong in it, again and again."""

    def __init__(self, begin: Callable[..., Client], key: tuple[str, str]) -> None:
        self.begin, (self.method, self.path) = begin, key
        self.operation = OPERATIONS[key]
        self.name = self.operation["operationId"]
        self.body = resolve(self.operation.get("requestBody", {})).get("content", {})
        self.given = [resolve(told) for told in self._parameters()]
        self.chance = random.Random(f"{SEED} {self.name}")
        self.client = begin(**UNLIMITED)
        self.prepare()

    def _parameters(self) -> list[dict[str, Any]]:
        paths = resolve({"$ref": "#/paths"})
        return [
            *paths[self.path].get("parameters", []),
            *self.operation.get("parameters", []),
        ]

    def prepare(self) -> None:
        """Make what the request is about: a request that succeeds may use it up."""
        match = prepare(self.client, self.name)
        seat = match["seats"]["south"] or {}
        self.places = PLACES | own_places(self.client, self.path)
        self.places |= {"match_id": match["id"], "player": seat.get("player", "x")}
        self.token = holder(self.client, self.name, match).token

    def send(self) -> tuple[TestResponse, bytes]:
        """Send a request that is wrong in a place of one kind."""
        kinds = ["query", "header"]
        kinds += ["body"] * 6 if self.body else []
        kinds += ["path"] if "{" in self.path else []
        kind, chance = self.chance.choice(kinds), self.chance
        places = {name: quote(value, safe="") for name, value in self.places.items()}
        if kind == "path":
            used = [name for name in places if f"{{{name}}}" in self.path]
            places[chance.choice(used)] = quote(_text(chance).replace("/", ""), safe="")
        query = QUERIES.get(self.name, "")
        if kind == "query":
            query = self._bad_query(query)
        media_type, data = next(iter(self.body), ""), b""
        if self.body:
            data = self._bad_data() if kind == "body" else self._good_data()
        headers = {"Authorization": f"Bearer {self.token}"}
        if media_type:
            headers["Content-Type"] = media_type
        if kind == "header":
            name = chance.choice(list(HEADERS))
            headers[name] = chance.choice(HEADERS[name])
        path = self.path.format(**places) + query
        answer = self.client.send(self.method, path, data=data, headers=headers)
        return answer, data

    def _good_data(self) -> bytes:
        right = GOOD.get(self.name, {})
        return right if isinstance(right, bytes) else json.dumps(right).encode()

    def _bad_data(self) -> bytes:
        right, chance = GOOD.get(self.name, {}), self.chance
        if not isinstance(right, bytes):
            schema = next(iter(self.body.values()))["schema"]
            return bad_body(chance, right, schema)
        at = chance.randrange(len(right))
        put = _text(chance).encode("utf-8", "surrogatepass")
        return right[:at] + put + right[at + chance.randrange(3) :]

    def _bad_query(self, right: str) -> str:
        known = [told for told in self.given if told["in"] == "query"]
        if not known or self.chance.random() < 0.1:
            return f"{right or '?'}&{quote(_text(self.chance), safe='')}=1"
        told = self.chance.choice(known)
        value = bad_value(self.chance, resolve(told["schema"]))
        wrong = f"{told['name']}={quote(str(value), safe='')}"
        twice = f"&{told['name']}=1" if self.chance.random() < 0.1 else ""
        return f"{right or '?'}&{wrong}{twice}"

    def check_accepted(self, data: bytes) -> None:
        """Fail if a body was taken that is not as the contract says."""
        if "application/json" not in self.body or not data:
            return
        check_schema(self.body["application/json"]["schema"], json.loads(data))


def _text(chance: random.Random) -> str:
    return chance.choice(TEXTS)


@pytest.mark.parametrize("key", OPERATIONS, ids=lambda key: f"{key[0]} {key[1]}")
def test_a_bad_value_is_refused_and_nothing_is_recorded(
    begin: Callable[..., Client],
    monkeypatch: pytest.MonkeyPatch,
    key: tuple[str, str],
) -> None:
    appended: list[str] = []

    def append(log: RedisEventLog, stream: str, *given: Any) -> Any:
        done = genuine(log, stream, *given)
        appended.append(stream)
        return done

    genuine = RedisEventLog.append
    monkeypatch.setattr(RedisEventLog, "append", append)
    fuzzer = Fuzzer(begin, key)
    refused = 0
    for number in range(REQUESTS):
        appended.clear()
        answer, data = fuzzer.send()
        where = (SEED, key, number, data[:300], answer.text[:300])
        assert answer.status_code < 500, where
        if answer.status_code >= 400:
            refused += 1
            assert not appended, where
        elif answer.status_code != 304:
            fuzzer.check_accepted(data)
            if fuzzer.method != "GET":
                fuzzer.prepare()

    assert refused or fuzzer.operation.get("security") == []
