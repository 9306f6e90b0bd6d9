"""How strong computer players are: a table at the end of each rulebook, with a plot."""

from rules_core import find_game
from rules_core.levels import Level, latest_ladder, levels_of
from services.rulebooks.wording import Sentences

ELO_OF_BAR = 100
BAR = "▮"


def tell_levels(game_key: str, sentences: Sentences) -> str:
    """Return the section of a game, or nothing if its levels were not measured."""
    game = find_game(game_key)
    levels = levels_of(game, latest_ladder(game))
    if any(level.elo is None for level in levels):
        return ""
    words = sentences.levels
    titles = (words["level"], "Elo", "±", words["games"], "")
    table = [_row(*titles), _row(*["---"] * len(titles))]
    table += [_row(number, *_cells(level)) for number, level in enumerate(levels, 1)]
    heading = f"## {words['title']} {{#levels}}"
    return "\n".join(["", heading, "", words["intro"], "", *table, ""])


def _cells(level: Level) -> tuple[object, ...]:
    elo = level.elo or 0
    played = level.games or ""
    return elo, level.error or "", played, BAR * round(1 + elo / ELO_OF_BAR)


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"
