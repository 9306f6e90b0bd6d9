"""Problems of games, and of what their rules refuse."""

import rules_core as rules
from services.http.wire.problem import Problem, told
from services.languages import Message, number_within

GAMES: tuple[Problem, ...] = (
    Problem(
        422,
        "unknown-game",
        Message("There is no such game"),
        cause=Message("No game has this key, or it has no such version of its rules."),
        advice=Message("Choose a key of GET /v1/games."),
        example=rules.UnknownGame("chess", ("kalah", "oware", "reversi")),
        facts=told("known"),
    ),
    Problem(
        422,
        "invalid-options",
        Message("The game cannot be played with these options"),
        cause=Message("An option is unknown, of the wrong kind or out of range."),
        advice=Message(
            "Put right the option that is named; allowed says what it may be."
        ),
        example=rules.InvalidOptions("seeds", 0, number_within(1, 8)),
        facts=lambda e: {"option": e.name, "allowed": e.allowed},
    ),
    Problem(
        422,
        "invalid-position",
        Message("That is not a position of this game"),
        cause=Message("The text does not describe a position of this game."),
        advice=Message("Send positions and snapshots as the API has shown them."),
        example=rules.InvalidPosition(
            "4,4", Message("it is not in its canonical form")
        ),
        also=(rules.InvalidSnapshot,),
    ),
    Problem(
        422,
        "illegal-move",
        Message("That move is not legal here"),
        cause=Message("The rules do not allow this move in the position on the board."),
        advice=Message("Choose one of legal_moves."),
        example=rules.IllegalMove("C", ("A", "B", "D")),
        facts=lambda e: {
            "move": e.move,
            "legal_moves": e.legal,
            **({"ply": e.ply} if e.ply else {}),
        },
    ),
)
