"""One rebuild of a view at a time, and what those leave that die is removed."""

import socket
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from redis.connection import AbstractConnection
from redis.exceptions import ConnectionError as RedisConnectionError

from services.cli.view_commands import VIEWS
from services.eventlog import library, partition_of
from services.match import Match, OpenMatch, Resign
from services.views import LeaseLost, MatchList, Overtaken, Projector, RebuildRuns
from services.views.folding import MatchFolder
from tests.support.app import services_on
from tests.support.commands import seedlog
from tests.views.world import HUMAN, World, drain

SEATS = ("south", "north")


def test_every_view_can_be_built_anew(redis_url: str, tmp_path: Path) -> None:
    views = services_on(redis_url, tmp_path).views

    assert tuple(view.name for view in views) == VIEWS


def left_of(world: World, generation: str) -> list[str]:
    keys = world.redis.call("KEYS", f"{{view:matches}}:{generation}:*")
    return sorted(key.rsplit(":", 1)[1] for key in keys)


def pass_lease(world: World) -> None:
    """Let the time be over for which a rebuild that is held up has the view."""
    world.redis.call("DEL", "{view:matches}:lease")


def test_a_second_rebuild_is_refused_and_told_whose_the_first_is(world: World) -> None:
    began = datetime.now().astimezone()
    lease = world.view.lease()

    with pytest.raises(RebuildRuns) as refused:
        Projector(world.log, world.view).rebuild()

    said = str(refused.value)
    assert f"on {socket.gethostname()} is rebuilding it" in said
    until = datetime.fromisoformat(said.split(" until ")[1].split()[0])
    assert timedelta(seconds=20) < until - began < timedelta(seconds=40)
    lease.give_back()
    assert Projector(world.log, world.view).rebuild() == 0


def test_the_command_says_so_in_one_line(world: World, tmp_path: Path) -> None:
    world.play(2, moves=1)
    where = {"REDIS_URL": world.url, "SEEDLOG_DATA": str(tmp_path)}
    lease = world.view.lease()

    refused = seedlog("rebuild", "matches", **where)

    assert refused.exit_code == 1
    assert "is rebuilding it, and has it until" in refused.stderr
    assert refused.stderr.count("\n") == 2  # the first one is of the bar
    lease.give_back()
    assert seedlog("rebuild", "matches", **where).stdout.endswith(
        "matches: 2 matches\n"
    )


def test_a_lease_is_renewed_while_its_rebuild_gets_on_and_passes_without(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.views.lease.LEASE_S", 0.6)
    lease = world.view.lease()
    until = time.monotonic() + 1.2
    while time.monotonic() < until:
        lease.keep()
        with pytest.raises(RebuildRuns):
            world.view.lease()
        time.sleep(0.02)

    time.sleep(0.8)

    second = world.view.lease()
    assert second.generation != lease.generation
    with pytest.raises(LeaseLost, match="run it again"):
        lease.keep()


def test_a_rebuild_under_way_is_left_alone_by_all_others(world: World) -> None:
    """The projector begins, sweeps, and follows beside it."""
    world.play(3, moves=2)
    drain(world.projector())
    lease = world.view.lease()
    building = world.view.new_generation(lease)
    building.write([world.matches.load("mat_1x0")], {0: "0-0"})

    drain(world.projector())
    assert world.view.sweep() == lease.generation

    assert building.count() == 1
    building.take_over(lease)
    assert world.view.count() == 1


def test_a_rebuild_that_was_held_up_for_too_long_changes_nothing(world: World) -> None:
    """Meanwhile another one has removed what it had built, and taken over."""
    world.play(3, moves=2)
    drain(world.projector())
    lease = world.view.lease()
    building = world.view.new_generation(lease)
    building.write([world.matches.load("mat_1x0")], {0: "0-0"})
    pass_lease(world)
    assert Projector(world.log, world.view).rebuild() == 3
    assert left_of(world, lease.generation) == []
    before = world.view.dump()

    building.write([world.matches.load("mat_1x1")], {0: "0-0"})
    with pytest.raises(LeaseLost):
        building.take_over(lease)
    lease.give_back()

    assert world.view.dump() == before
    assert "rows" in left_of(world, lease.generation)
    world.projector()
    assert left_of(world, lease.generation) == []
    assert left_of(world, world.view.generation()) != []


def test_a_rebuild_that_fails_leaves_nothing_and_gives_way(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.play(4, moves=2)
    drain(world.projector())
    write = MatchList.write
    written: list[object] = []

    def fail(self: MatchList, *arguments: Any) -> None:
        written.append(arguments)
        if len(written) == 3:
            raise KeyboardInterrupt
        write(self, *arguments)

    monkeypatch.setattr("services.views.projector.BUILT_AT_ONCE", 1)
    monkeypatch.setattr(MatchList, "write", fail)
    with pytest.raises(KeyboardInterrupt):
        Projector(world.log, world.view).rebuild()

    assert left_of(world, "1.1") == []
    assert world.log.followers() == ["view:matches"]
    monkeypatch.undo()
    assert Projector(world.log, world.view).rebuild() == 4


def test_the_feed_is_not_trimmed_from_under_a_rebuild(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes: a match may end right after it was read."""
    names = [f"mat_{number}" for number in range(1000)]
    pair = [name for name in names if partition_of(name) == partition_of("mat_0")][:2]
    for name in pair:
        opening = OpenMatch(
            game="kalah", tenant="ten_a", seats=dict.fromkeys(SEATS, HUMAN)
        )
        world.matches.handle(name, opening, by="key:k")
    projector = world.projector()
    whole = MatchFolder.whole

    def read_before_it_ends(self: MatchFolder, stream: str) -> Match:
        """Return a match that ends now, as does the other one, whose entry stays."""
        match = whole(self, stream)
        monkeypatch.undo()
        for name in sorted(pair, key=lambda name: name != stream):
            world.matches.handle(name, Resign(seat="south"), by="seat")
        drain(projector)
        world.log.keep_from("view:matches", world.log.feed_ends())
        world.log.trim()
        return match

    monkeypatch.setattr(MatchFolder, "whole", read_before_it_ends)
    Projector(world.log, world.view).rebuild()

    assert [row["status"] for row in world.view.dump().values()] == ["finished"] * 2
    assert world.log.followers() == ["view:matches"]
    assert world.log.trim() > 0


def test_who_reads_while_a_view_is_switched_over_is_told_all(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The generation that was looked at is gone before it is read."""
    world.play(4, moves=2)
    drain(world.projector())
    execute, looked = library._Client.execute_command, []

    def switch(self: library._Client, *command: Any, **options: Any) -> Any:
        reply = execute(self, *command, **options)
        if command[0] == "GET" and not looked:
            looked.append(command)
            Projector(world.log, MatchList(world.url)).rebuild()
        return reply

    monkeypatch.setattr(library._Client, "execute_command", switch)
    assert len(world.view.page("ten_a").rows) == 4
    looked.clear()
    assert world.view.statistics("ten_a", "kalah")["opened"] == 1
    assert looked


def test_what_a_dead_rebuild_had_spared_is_given_free(world: World) -> None:
    world.play(1, moves=1)
    drain(world.projector())
    lease = world.view.lease()
    world.log.keep_from(f"rebuild:matches:{lease.generation}", {})
    world.projector()
    assert len(world.log.followers()) == 2

    pass_lease(world)
    world.projector()

    assert world.log.followers() == ["view:matches"]


def test_a_row_whose_answer_was_lost_is_counted_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked at again before it is written again."""
    projector = world.projector()
    world.play(2, moves=1)
    send, read = (
        AbstractConnection.send_packed_command,
        AbstractConnection.read_response,
    )
    sent: list[object] = []
    lost: list[object] = []

    def send_rows(self: AbstractConnection, command: Any, **options: Any) -> None:
        sent.extend(part for part in command if b"EVALSHA" in part and b"mat_" in part)
        send(self, command, **options)

    def lose(self: AbstractConnection, **options: Any) -> Any:
        reply = read(self, **options)
        if sent and not lost and reply == 1:  # the script is carried out
            lost.append(reply)
            self.disconnect()
            raise RedisConnectionError("the answer was lost")
        return reply

    monkeypatch.setattr(AbstractConnection, "send_packed_command", send_rows)
    monkeypatch.setattr(AbstractConnection, "read_response", lose)
    drain(projector)

    assert lost == [1]
    assert len(sent) > 1
    assert world.view.statistics("ten_a", "kalah")["opened"] == 1
    assert world.view.count() == 2


def test_two_projectors_of_one_view_count_every_match_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One reads the rows before, the other writes, and then the first one writes."""
    first, second = world.projector(), world.projector()
    world.play(1, moves=1)
    read, between = MatchList._seen, list[str]()

    def write_between(self: MatchList, prefix: str, names: list[str]) -> list[str]:
        seen = read(self, prefix, names)
        monkeypatch.undo()
        drain(second)
        between.extend(names)
        return seen

    monkeypatch.setattr(MatchList, "_seen", write_between)
    drain(first)

    assert between
    assert world.view.statistics("ten_a", "kalah")["opened"] == 1


def test_a_row_that_another_has_written_is_read_again(world: World) -> None:
    """What a projector remembers of a row is no longer true then."""
    first, second = world.projector(), world.projector()
    world.play(1, moves=1)
    drain(first)
    world.play(1, moves=1, seed=2)
    with pytest.raises(Overtaken):
        drain(second)
    second.begin()
    drain(second)
    drain(first)

    kept = world.view.dump()
    assert world.view.statistics("ten_a", "kalah")["opened"] == 2
    first.rebuild()
    assert world.view.dump() == kept
