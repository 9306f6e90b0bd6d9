"""The projector folds the feed into the list of matches, and can begin again."""

import pytest

from services.eventlog import LogUnavailable
from services.match import (
    OpenMatch,
    Player,
    PlayMove,
    Resign,
)
from services.views import MatchList, PoisonEvent, Projector
from tests.views.world import HUMAN, World, drain


def test_what_happens_is_seen_in_the_list(world: World) -> None:
    projector = world.projector()
    world.play(4, moves=3)
    drain(projector)

    page = world.view.page("ten_a")

    assert len(page.rows) == 4
    assert {row["ply"] for row in page.rows} == {3}
    world.matches.handle("mat_1x0", Resign(seat="south"), by="seat")
    drain(projector)
    [over] = world.view.page("ten_a", status="finished").rows
    assert (over["id"], over["outcome"]["reason"]) == ("mat_1x0", "resignation")
    assert len(world.view.page("ten_a", status="running").rows) == 3
    assert world.view.page("ten_b").rows == []


@pytest.mark.parametrize("is_trimmed", [False, True])
def test_a_deleted_view_is_rebuilt_identically(world: World, is_trimmed: bool) -> None:
    """Also when the feed was trimmed: the streams are the truth."""
    projector = world.projector()
    world.play(10, moves=12)
    drain(projector)
    before = world.view.dump()
    pages = [world.view.page("ten_a", status=s).rows for s in ("running", "finished")]
    if is_trimmed:
        world.log.keep_from("view:matches", world.log.feed_ends())
        assert world.log.trim() > 0

    world.view.delete()
    assert world.view.dump() == {}
    drain(world.projector())

    assert world.view.dump() == before
    assert pages == [
        world.view.page("ten_a", status=s).rows for s in ("running", "finished")
    ]


def test_a_rebuild_switches_over_while_the_projector_runs(world: World) -> None:
    """Matches go on meanwhile; nothing is missed and nothing is left behind."""
    projector = world.projector()
    world.play(10, moves=4)
    drain(projector)
    before = world.view.dump()
    builder, passed = Projector(world.log, world.view), list[int]()

    assert builder.rebuild(lambda: passed.append(1)) == 10
    assert len(passed) == 10
    assert world.view.dump() == before
    world.play(3, moves=2, seed=2)
    stop = iter([False, False, False, True])
    projector.run(lambda: next(stop))  # it notices, and goes on with the new one

    assert len(world.view.page("ten_a").rows) == 13
    left = world.redis.call("KEYS", "{view:matches}:1:*")
    assert left == []


def test_a_rebuild_that_dies_leaves_the_view_as_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    projector = world.projector()
    world.play(5, moves=2)
    drain(projector)
    before = world.view.dump()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(MatchList, "take_over", die)
    with pytest.raises(KeyboardInterrupt):
        Projector(world.log, world.view).rebuild()

    assert world.view.dump() == before
    monkeypatch.undo()
    assert Projector(world.log, world.view).rebuild() == 5
    assert world.view.dump() == before


def test_the_history_of_a_player(world: World) -> None:
    projector = world.projector()
    seats = {"south": HUMAN, "north": Player(kind="human", player="ply_b")}
    other = {"south": HUMAN, "north": Player(kind="ai", level=1)}
    for name, taken in (("mat_1", seats), ("mat_2", other)):
        opening = OpenMatch(game="kalah", tenant="ten_a", seats=taken)
        world.matches.handle(name, opening, by="key:k")
    drain(projector)

    def history(player: str) -> list[str]:
        return sorted(r["id"] for r in world.view.page("ten_a", player=player).rows)

    assert history("ply_a") == ["mat_1", "mat_2"]
    assert history("ply_b") == ["mat_1"]
    assert history("ply_c") == []


def test_statistics_count_every_match_once(world: World) -> None:
    """However often its entries come, and also after a rebuild."""
    projector = world.projector()
    for name in ("mat_1", "mat_2", "mat_3"):
        seats = {"south": HUMAN, "north": HUMAN}
        opening = OpenMatch(game="kalah", tenant="ten_a", seats=seats)
        world.matches.handle(name, opening, by="key:k")
        drain(projector)
    world.matches.handle("mat_1", PlayMove(seat="south", move="A"), by="seat")
    world.matches.handle("mat_1", Resign(seat="south"), by="seat")
    drain(projector)
    world.view.write([], dict.fromkeys(range(64), "0-0"))
    drain(world.projector())

    expected = {
        "opened": 3,
        "open": 0,
        "running": 2,
        "finished": 1,
        "moves": 1,
        "reason:resignation": 1,
        "winner:north": 1,
    }
    found = {k: v for k, v in world.view.statistics("ten_a", "kalah").items() if v}
    assert found == {k: v for k, v in expected.items() if v}
    Projector(world.log, world.view).rebuild()
    again = {k: v for k, v in world.view.statistics("ten_a", "kalah").items() if v}
    assert again == found


def test_a_projector_that_died_goes_on_where_the_view_is(world: World) -> None:
    drain(world.projector())
    world.play(3, moves=2)
    other = world.projector()
    drain(other)
    world.play(3, moves=2, seed=2)

    drain(world.projector())

    assert len(world.view.page("ten_a").rows) == 6


def test_entries_that_come_twice_change_nothing(world: World) -> None:
    projector = world.projector()
    world.play(3, moves=5)
    drain(projector)
    before = world.view.dump()
    world.view.write([], dict.fromkeys(range(64), "0-0"))

    drain(world.projector())

    assert world.view.dump() == before


def test_an_event_that_contradicts_the_rules_stops_the_view(world: World) -> None:
    projector = world.projector()
    world.play(1, moves=1)
    [key] = world.redis.call("KEYS", "*mat_1x0:ev")
    forge = world.redis.call
    [(entry, fields)] = forge("XREVRANGE", key, "+", "-", "COUNT", 1)
    forge("XDEL", key, entry)
    fields[7] = fields[7].replace('"digest":"', '"digest":"0')
    forge("XADD", key, "99-0", *fields)

    with pytest.raises(PoisonEvent, match="mat_1x0: event 4"):
        drain(projector)


def test_an_absence_of_the_log_is_told_once_a_minute_and_when_it_ends(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("services.views.projector.AGAIN_S", 0.0)
    tried: list[str] = []

    ends = world.log.feed_ends

    def away(*_: object) -> dict[int, str]:
        tried.append("once more")
        if len(tried) <= 4:
            raise LogUnavailable("gone")
        return ends()

    monkeypatch.setattr(world.log, "feed_ends", away)
    Projector(world.log, world.view).run(lambda: len(tried) >= 5)

    said = "".join(capsys.readouterr())
    assert said.count("projector waits for the log") == 1
    assert said.count("projector goes on") == said.count("waited_s=") == 1
