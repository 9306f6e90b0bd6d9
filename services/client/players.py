"""The players whom an app has named, and how they stand."""

from collections.abc import Iterator
from typing import Any, cast

from services.client.pages import Request, read_pages
from services.client.paths import part_of
from services.client.shapes import ClockClass, Person, Ranked, RatedGame, Rating, Score


class Players:
    """Players by the app's own ids, or by their references."""

    def __init__(self, request: Request) -> None:
        """Send by *request*."""
        self._request = request

    def read(self, player: str) -> Person:
        """Show a player."""
        return cast(Person, self._request("GET", _path(player)))

    def erase(self, player: str) -> None:
        """Erase the name and the id of a player everywhere."""
        self._request("DELETE", _path(player))

    def ratings(self, player: str) -> list[Rating]:
        """Show how a player stands in each game and clock class."""
        path = _path(player, "ratings")
        return cast("list[Rating]", self._request("GET", path)["data"])

    def rated_games(
        self, player: str, game: str, clock_class: ClockClass = "untimed"
    ) -> Iterator[RatedGame]:
        """Yield the rated games of a player, the last first."""
        path = _path(player, f"ratings/{part_of(game)}/{part_of(clock_class)}")
        yield from read_pages(self._request, path, {"limit": 200})

    def score(self, player: str, opponent: str) -> Score:
        """Show how two players fared against each other, and their last matches."""
        path = _path(player, f"opponents/{part_of(opponent)}")
        return cast(Score, self._request("GET", path))

    def leaderboard(
        self, game: str, clock_class: ClockClass = "untimed"
    ) -> Iterator[Ranked]:
        """Yield the players of a game, whoever is the strongest for sure first."""
        query: dict[str, Any] = {"clock_class": clock_class, "limit": 200}
        path = f"/v1/leaderboards/{part_of(game)}"
        yield from read_pages(self._request, path, query)


def _path(player: str, what: str = "") -> str:
    path = f"/v1/players/{part_of(player)}"
    return f"{path}/{what}" if what else path
