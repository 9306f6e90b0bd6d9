"""What the page says of the events of a match; what *you* did has its own words."""

from services.match.reasons import REASONS
from services.web.words.phrases import Phrase, Phrases, Words

WORDS: Words = {
    "log.heading": Phrase("The log"),
    "log.first": Phrase("First"),
    "log.previous": Phrase("Previous"),
    "log.next": Phrase("Next"),
    "log.last": Phrase("Last"),
    "log.play": Phrase("Play it move by move"),
    "log.step": Phrase("One moment further"),
    "log.scrubber": Phrase("Version"),
    "log.now": Phrase("Back to now"),
    "log.hash": Phrase("Hash of the log up to here: {hash}"),
    "log.place": Phrase("{version} of {latest}"),
    "fist.left": Phrase("left"),
    "fist.right": Phrase("right"),
    # how a match comes about
    "event.opened": Phrase("{game} is set up, {starter} begins"),
    "event.opened_options": Phrase("{game} is set up ({options}), {starter} begins"),
    "event.opened_fist": Phrase("{game} is set up, a fist decides who begins"),
    "event.forked": Phrase("{game} goes on from version {version} of another match"),
    "event.option": Phrase("{name}: {value}"),
    "event.seated.you": Phrase("You sat down as {seat}"),
    "event.seated_ai": Phrase("The computer sat down as {seat}, level {level}"),
    "event.seated": Phrase("A player sat down as {seat}"),
    "event.renewed": Phrase("The token of {seat} was renewed"),
    "event.guessed_right": Phrase(
        "{who} guessed the {fist} fist, and it was: {starter} to begin"
    ),
    "event.guessed_right.you": Phrase(
        "You guessed the {fist} fist, and it was: {starter} to begin"
    ),
    "event.guessed_wrong": Phrase(
        "{who} guessed wrong, it was the {fist} fist: {starter} to begin"
    ),
    "event.guessed_wrong.you": Phrase(
        "You guessed wrong, it was the {fist} fist: {starter} to begin"
    ),
    "event.imported": Phrase("The match was taken over from an export"),
    # moves
    "event.comma": Phrase(", "),
    "event.sowed": Phrases(
        "{who} sowed 1 seed from {place}", "{who} sowed {count} seeds from {place}"
    ),
    "event.sowed.you": Phrases(
        "You sowed 1 seed from {place}", "You sowed {count} seeds from {place}"
    ),
    "event.placed": Phrases(
        "{who} played {place} and flipped 1 disc",
        "{who} played {place} and flipped {count} discs",
    ),
    "event.placed.you": Phrases(
        "You played {place} and flipped 1 disc",
        "You played {place} and flipped {count} discs",
    ),
    "event.played": Phrase("{who} played {move}"),
    "event.played.you": Phrase("You played {move}"),
    "event.swapped": Phrase("{who} took the other's place, with all that lies there"),
    "event.swapped.you": Phrase("You took the other's place, with all that lies there"),
    "event.claimed": Phrase("{who} claimed pit {place}"),
    "event.claimed.you": Phrase("You claimed pit {place}"),
    "event.laps": Phrases("went on for 1 lap", "went on for {count} laps"),
    "event.entered": Phrases(
        "captured 1 and sowed it again", "captured {count} and sowed them again"
    ),
    "event.refilled": Phrase("and round {round} began"),
    "event.burnt": Phrases(
        "1 pit is out of play in it", "{count} pits are out of play in it"
    ),
    "event.to_claim": Phrases(
        "{seat} owns 1 pit more and chooses which",
        "{seat} owns {count} pits more and chooses which",
    ),
    "event.captured": Phrases("captured 1", "captured {count}"),
    "event.swept": Phrases(
        "the last seed went to its owner", "the last {count} seeds went to their owner"
    ),
    "event.again": Phrase("moves again"),
    "event.again.you": Phrase("move again"),
    "event.turn_passed": Phrase("{who} had no move and passed"),
    "event.turn_passed.you": Phrase("You had no move and passed"),
    # what is asked and answered
    "event.resigned": Phrase("{who} resigned"),
    "event.resigned.you": Phrase("You resigned"),
    "event.hint_taken": Phrase("{who} took a hint"),
    "event.hint_taken.you": Phrase("You took a hint"),
    "event.draw_offered": Phrase("{who} offered a draw"),
    "event.draw_offered.you": Phrase("You offered a draw"),
    "event.draw_accepted": Phrase("{who} accepted the draw"),
    "event.draw_accepted.you": Phrase("You accepted the draw"),
    "event.draw_declined": Phrase("{who} declined the draw"),
    "event.draw_declined.you": Phrase("You declined the draw"),
    "event.takeback_requested": Phrase("{who} asked to go back to version {version}"),
    "event.takeback_requested.you": Phrase("You asked to go back to version {version}"),
    "event.takeback_accepted": Phrase(
        "{who} agreed: the board of version {version} stands again"
    ),
    "event.takeback_accepted.you": Phrase(
        "You agreed: the board of version {version} stands again"
    ),
    "event.takeback_declined": Phrase("{who} declined to go back"),
    "event.takeback_declined.you": Phrase("You declined to go back"),
    "event.ai_failed": Phrases(
        "The computer failed to answer; its weakest level moves",
        "The computer failed to answer {count} times; its weakest level moves",
    ),
    # how it ends
    "event.aborted": Phrase("The match was called off"),
    "event.no-show": Phrase(
        "The match was called off: a first move was not made in time"
    ),
    "event.ended.you": Phrase("You won, {score}: {reason}"),
    "event.ended": Phrase("{who} won, {score}: {reason}"),
    "event.ended_draw": Phrase("A draw, {score}: {reason}"),
    **{f"reason.{key}": Phrase(said.template) for key, said in REASONS.items()},
}
