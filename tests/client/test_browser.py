"""The JavaScript client in a browser: what no page of ours does with it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.client.world import AGAINST_AI, World
from tests.support.page_driver import running_browser
from tests.support.receiver import receiving

VERIFY = """
async ({text, trusted, secret, headers, body}) => {
  const { verifyExport, verifyWebhook } = await import("/client/seedlog.js");
  const held = await verifyExport(text, { trusted });
  const said = await verifyWebhook(secret, headers, body);
  const wrong = await verifyExport(text.replace('"kalah"', '"oware"')).catch(
    (error) => error.name + " " + error.place);
  const forged = await verifyWebhook(secret, headers, body + " ").catch(
    (error) => error.name);
  return [held.match, held.isKeyTrusted, said.type, wrong, forged];
}
"""

PLAY = """
async ({url, token, id, seat}) => {
  const { Seedlog } = await import("/client/seedlog.js");
  const lost = [];
  const player = new Seedlog(url, token, {
    heartbeatS: 1, onConnection: (isLost) => lost.push(isLost) });
  const told = [];
  for await (const event of player.follow(id)) {
    told.push(event.version);
    const isLatest = (await player.match(id)).version === event.version;
    if (!isLatest || event.to_move !== seat) continue;
    if (told.length > 12) await player.resign(id);
    else await player.play(id, event.legal_moves[0], { version: event.version });
  }
  return { told, lost };
}
"""


@pytest.fixture
def page(world: World, chromium: str) -> Iterator[Page]:
    """Yield a window on our page, whose strict policy holds for the client as well."""
    with running_browser(chromium) as browser:
        page = browser.new_page()
        page.goto(world.stack.url)
        yield page


def test_exports_and_webhooks_are_verified(world: World, page: Page) -> None:
    client = world.stack.client
    match_id = client.open_match("kalah", AGAINST_AI)["id"]
    with receiving() as receiver:
        made = client.webhooks.create(receiver.url, ["match.ended"])
        client.resign(match_id, "south")
        while not receiver.messages:
            client.match(match_id)
        client.webhooks.delete(made["id"])
    [message] = receiver.messages[:1]
    given = {
        "text": client.export(match_id).decode(),
        "trusted": client.signing_keys(),
        "secret": made["secret"],
        "headers": message.headers,
        "body": message.body.decode(),
    }

    found = page.evaluate(VERIFY, given)

    expected = [match_id, True, "match.ended"]
    assert found == [*expected, "InvalidExport event 1", "InvalidSignature"]


def test_a_match_is_played_and_followed_on_a_bad_network(
    world: World, page: Page
) -> None:
    """From another origin, as far as the browser knows: the bad network has its own."""
    client = world.stack.client
    opened = client.open_match("kalah", AGAINST_AI)
    world.api.cut_answers = world.streams.cut_answers = 0.2
    given = {
        "url": world.api.url,
        "token": opened["seat_tokens"]["south"],
        "id": opened["id"],
        "seat": "south",
    }
    page.goto(f"{world.stack.url}/client/seedlog.js")  # a document without our policy

    heard = page.evaluate(PLAY, given)

    log = list(client.events(opened["id"]))
    assert heard["told"] == [event["version"] for event in log]
    assert log[-1]["type"] == "match.ended"
    assert heard["lost"][-1:] in ([], [False])
