"""What the page says where a game is chosen."""

from services.web.words.phrases import Phrase, Phrases, Words

WORDS: Words = {
    "page.tagline": Phrase("Old games, and every move on record"),
    "page.description": Phrase(
        "Play mancala games and Reversi; every move is on record."
    ),
    "page.no_script": Phrase("This page needs JavaScript: it draws the board."),
    "page.language": Phrase("Language"),
    # matches of one's own
    "mine.heading": Phrase("Your matches"),
    "mine.forget": Phrase("Take {game} off this list"),
    "mine.over": Phrase("over"),
    "mine.gone": Phrase("cannot be read any more"),
    "mine.waiting": Phrase("waits for somebody"),
    "mine.yours": Phrase("your turn"),
    # matches of others
    "watch.heading": Phrase("Being played now"),
    "watch.moves": Phrases("1 move", "{count} moves"),
    "watch.followers": Phrases("1 looks on", "{count} look on"),
    # the form
    "choose.heading": Phrase("Play a game"),
    "choose.intro": Phrase(
        "Choose a game, and play the computer or a friend. Every move is written into "
        "a log that you can leaf through, then and now."
    ),
    "choose.game": Phrase("Game"),
    "choose.options": Phrase("Options"),
    "choose.no_options": Phrase("This game is always played the same way."),
    "choose.seat": Phrase("Your seat"),
    "choose.opponent": Phrase("Opponent"),
    "opponent.ai": Phrase("The computer"),
    "opponent.invited": Phrase("A friend, by a link"),
    "opponent.stranger": Phrase("A stranger"),
    "opponent.same-screen": Phrase("Two at this screen"),
    "choose.starter": Phrase("Who begins"),
    "choose.starter.seat": Phrase("{seat} begins"),
    "choose.starter.random": Phrase("drawn at random"),
    "choose.starter.fist": Phrase("whoever guesses the fist"),
    "choose.summary": Phrase("{game} · {against}"),
    "choose.level": Phrase("Strength of the computer"),
    "choose.level.told": Phrase("{level} of {most}: {words}"),
    "choose.level.1": Phrase("a beginner"),
    "choose.level.2": Phrase("a beginner who has seen it before"),
    "choose.level.3": Phrase("a casual player"),
    "choose.level.4": Phrase("a casual player on a good day"),
    "choose.level.5": Phrase("a club player"),
    "choose.level.6": Phrase("a strong club player"),
    "choose.level.7": Phrase("a master"),
    "choose.level.8": Phrase("as strong as it gets"),
    "choose.clock": Phrase("Time"),
    "choose.clock.none": Phrase("no clock"),
    "choose.clock.one": Phrase("1 minute, and 1 second for each move"),
    "choose.clock.three": Phrase("3 minutes, and 2 seconds for each move"),
    "choose.clock.ten": Phrase("10 minutes, and 5 seconds for each move"),
    "choose.clock.delay": Phrase("5 minutes; each turn has 5 seconds free"),
    "choose.clock.days": Phrase("3 days for each move"),
    "choose.play": Phrase("Play"),
    "choose.seeking": Phrase("Looking for somebody to play…"),
    "choose.stop": Phrase("Stop looking"),
    "stranger.note": Phrase(
        "You get a match with whoever looks for the same game and time. Anybody may "
        "look on at it."
    ),
    "choose.opening": Phrase("Setting the board…"),
    "choose.none": Phrase("none"),
    "choose.yes": Phrase("yes"),
    "choose.no": Phrase("no"),
    "option.rounds.single": Phrase("one round"),
    "option.rounds.match": Phrase("until a side can fill no pit"),
    "option.max_rounds.none": Phrase("until a side owns all pits"),
    # the doors below
    "doors.heading": Phrase("For developers"),
    "doors.reference": Phrase("API reference"),
    "doors.rules": Phrase("Rules of all games"),
    "example.play": Phrase("Show the move"),
    "rules.shared": Phrase("What all games share"),
    "doors.status": Phrase("Status"),
    "doors.problems": Phrase("Problems"),
    "doors.json": Phrase("This match as JSON"),
    "doors.curl": Phrase("The same with curl"),
}
