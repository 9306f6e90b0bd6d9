"""The page to keep, opened from a file in a real browser."""

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rules_core import GAMES
from services.audit.page import export_of_page
from services.languages import LANGUAGES
from services.match import Match, evolve, from_log
from tests.audit.paging import NAME, embedded, opened, page_of, verdict, with_data
from tests.audit.tampering import forge_tail
from tests.support.commands import seedlog
from tests.support.tables import played_table, random_table, signing_key

MOST_SCRIPT = 31_000


def test_the_command_verifies_the_export_in_a_page(tmp_path: Path) -> None:
    text = page_of(played_table())
    honest, tampered = tmp_path / "honest.html", tmp_path / "tampered.html"
    honest.write_text(text, "utf-8")
    export = embedded(text)["export"].replace('"move":"b"', '"move":"c"')
    tampered.write_text(with_data(text, export=export), "utf-8")

    assert seedlog("verify", honest).exit_code == 0
    ran = seedlog("verify", tampered)
    assert (ran.exit_code, "event 6" in ran.stdout) == (1, True)
    assert export_of_page(b"<!doctype html>") is None


def test_the_command_verifies_the_words_beside_the_export(tmp_path: Path) -> None:
    """They are signed as well; script and markup are not, and that is said."""
    text = page_of(played_table())
    file = tmp_path / "page.html"
    shown = embedded(text)["shown"]
    other = shown.replace("Kalah", "Oware")
    assert other != shown
    data = '<script type="application/json" id="data">{"export": ""}</script>'
    for altered in (with_data(text, shown=other), text + data):
        file.write_text(altered, "utf-8")
        ran = seedlog("verify", file)
        assert (ran.exit_code, "words shown" in ran.stdout) == (1, True)
    file.write_text(text, "utf-8")
    assert "signed by nobody" in seedlog("verify", file).stdout


def test_an_honest_page_says_that_it_holds(window: Page, tmp_path: Path) -> None:
    page = opened(window, tmp_path, page_of(played_table()))

    assert verdict(page) == "OK: 14 events; hash chain, signatures and rules hold."
    assert signing_key().public.id in page.locator("#trust").inner_text()
    log = page.locator("#log li").all_inner_texts()
    assert len(log) == 14
    assert "Kalah is set up, South begins" in log[0]
    assert f"{NAME} played C" in log[3]
    assert "a player has resigned" in log[13]
    assert page.locator("#log li.holds").count() == 14
    assert page.locator("#below").inner_text().split("\n")[0].startswith(NAME)
    assert '"reason": "resignation"' in (page.locator("#fact").text_content() or "")


def test_the_board_is_leafed_through(window: Page, tmp_path: Path) -> None:
    table = played_table()
    page = opened(window, tmp_path, page_of(table))
    match = Match(table.id)
    page.locator("#first").click()

    for event in table.log.read(table.id):
        match = evolve(match, from_log(event), event.at_ms)
        assert match.position is not None
        places = page.eval_on_selector_all(
            "#board [data-place]",
            "all => Object.fromEntries(all.map(c => [c.dataset.place,"
            " Number(c.querySelector('.number, .total').textContent)]))",
        )
        assert places == dict(match.position.board)
        assert page.locator("#now").inner_text().startswith(f"{event.version}. ")
        if event.version < 14:
            page.keyboard.press("ArrowRight")
    assert page.locator("#next").is_disabled()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_every_board_can_be_drawn(game: object, window: Page, tmp_path: Path) -> None:
    table = random_table(random.Random("page"), game)  # type: ignore[arg-type]
    page = opened(window, tmp_path, page_of(table))

    assert verdict(page).startswith("OK: ")
    layout = table.game.layout(table.match.options)
    places = sum(map(len, layout.rows)) + len(layout.stores)
    assert page.locator("#board .place").count() == places
    discs = page.locator("#board .disc").count()
    board = table.match.position.board if table.match.position else {}
    assert discs == (len(board) if layout.kind == "squares" else 0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"move":"b"', '"move":"c"', "event 6: its text is not the one"),
        ('"signature":"', '"signature":"0', "event 1: its line cannot be read"),
        ("Amara", "Asaro", "header: it is not the one that was signed"),
        ('"events":14', '"events":15', "head: its signature does not hold"),
    ],
)
def test_a_tampered_page_names_the_place(
    window: Page, tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = page_of(played_table())
    export = embedded(text)["export"].replace(old, new, 1)

    page = opened(window, tmp_path, with_data(text, export=export))

    assert verdict(page).startswith(f"NOT OK: {said}")


def test_a_forged_tail_is_located_by_the_signatures(
    window: Page, tmp_path: Path
) -> None:
    text = page_of(played_table())
    data = embedded(text)["export"].encode()
    for seed in range(2):
        forged, [place] = forge_tail(data, random.Random(seed))
        page = opened(window, tmp_path, with_data(text, export=forged.decode()))

        assert verdict(page).startswith(f"NOT OK: {place}: its signature")
        wrong = page.locator("#log li.wrong").count()
        assert wrong == 15 - int(place.removeprefix("event "))


def test_what_stands_beside_the_log_cannot_tell_another_story(
    window: Page, tmp_path: Path
) -> None:
    text = page_of(played_table())
    shown = embedded(text)["shown"].replace("Kalah", "Oware")

    page = opened(window, tmp_path, with_data(text, shown=shown))

    assert "beside the log is not what was signed" in verdict(page)


@pytest.mark.parametrize(
    "touched", [('"export":', '"exqort":'), ('{"', "{'"), ("", "")]
)
def test_where_nothing_can_be_read_nothing_holds(
    window: Page, tmp_path: Path, touched: tuple[str, str]
) -> None:
    text = page_of(played_table())
    begin = text.index('id="data">')
    broken = text[:begin] + text[begin:].replace(*touched, 1)
    if not touched[0]:
        broken = with_data(text, export="")

    page = opened(window, tmp_path, broken)

    expect(page.locator("#verdict")).to_have_attribute("data-state", "wrong")
    assert verdict(page)
    assert page.locator("#log li").count() == 0


def test_a_browser_without_ed25519_says_so(window: Page, tmp_path: Path) -> None:
    text = page_of(played_table())
    lame = "<script>crypto.subtle.importKey = null;</script>"
    lamed = text.replace("<header>", f"{lame}<header>")

    page = opened(window, tmp_path, lamed)

    assert verdict(page) == "OK: 14 events; hash chain and rules hold."
    assert "cannot check Ed25519" in page.locator("#trust").inner_text()


def test_it_is_small_and_speaks_five_languages(window: Page, tmp_path: Path) -> None:
    """The log, the verdict and the buttons, in each; a phone has room for it."""
    text = page_of(played_table())
    page = opened(window, tmp_path, text)
    said = set()
    for code in LANGUAGES:
        page.locator("#language").select_option(code)
        said.add((verdict(page), page.locator("#log li .what").first.inner_text()))
        assert page.locator("html").get_attribute("lang") == code
        assert "proof." not in page.locator("#trust").inner_text()
    assert len(said) == len(LANGUAGES)
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 1280, "height": 800})
    packed = re.search(r'packed = "(.*?)"', text)
    assert packed is not None
    assert len(packed[1]) < MOST_SCRIPT


def test_who_runs_no_script_reads_that_nothing_was_checked() -> None:
    """In every language: nobody is there who could ask for one."""
    said = re.search(r"<noscript>(.*)</noscript>", page_of(played_table()))
    assert said is not None
    assert re.findall(r'<p lang="(\w+)">[^<]{9,}</p>', said[1]) == list(LANGUAGES)
    assert "Without JavaScript nothing on this page was checked." in said[1]


def test_nothing_in_the_page_comes_from_elsewhere() -> None:
    text = page_of(played_table())

    assert not re.search(r"""(src|href)=["'](?!data:)""", text)
    assert "http:" not in text
    assert "https:" not in text
