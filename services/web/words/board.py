"""What the page says of boards: places and moves, seen or spoken."""

from services.web.words.phrases import Phrase, Phrases, Words

WORDS: Words = {
    "seat.south": Phrase("South"),
    "seat.north": Phrase("North"),
    "seat.black": Phrase("Black"),
    "seat.white": Phrase("White"),
    "place.pit": Phrases(
        "pit {label} of {seat}, 1 seed", "pit {label} of {seat}, {count} seeds"
    ),
    "place.pit_plain": Phrases("pit {label}, 1 seed", "pit {label}, {count} seeds"),
    "place.burnt": Phrase("pit {label} of {seat}, out of play in this round"),
    "place.store": Phrases("store of {seat}, 1 seed", "store of {seat}, {count} seeds"),
    "place.square": Phrase("square {label}, empty"),
    "place.disc": Phrase("square {label}, {seat}"),
    "place.play": Phrase("Play {label}: {place}"),
    "place.board": Phrase("{game}: the board"),
    "board.no_position": Phrase(
        "This is not a position of {game}, such as 4,4,4,4,4,4/4,4,4,4,4,4 0,0 S: "
        "{text}"
    ),
    "board.round": Phrase("Round {round}"),
    "board.round_of": Phrase("Round {round} of {most}"),
    "offer.heading": Phrase("Which move from {place}?"),
    "offer.rest": Phrase("Other moves"),
    "offer.cancel": Phrase("Another place"),
    "move.L": Phrase("{place} to the left"),
    "move.R": Phrase("{place} to the right"),
    "move.@": Phrase("Claim {place}"),
    "move.swap": Phrase("Take the other's place"),
}
