"""What the page says when something is not as it should be.

What the API refuses, it explains itself in the language of the page; here stand the few
refusals of which the page knows more.
"""

from services.web.words.phrases import Phrase, Phrases, Words

WORDS: Words = {
    "notice.told": Phrase("Not possible: {title}. {detail}"),
    "notice.close": Phrase("Close"),
    "notice.lost": Phrase(
        "No connection. Your match is safe in the log; this page goes on by itself as "
        "soon as the server answers."
    ),
    "notice.silent": Phrase(
        "The live connection is silent; this page asks the server instead."
    ),
    "notice.no_match": Phrase("There is no such match here"),
    "notice.no_match_detail": Phrase(
        "It may be gone, belong to somebody else, or its address was cut off."
    ),
    "notice.unreachable": Phrase("The server cannot be reached"),
    "notice.unreachable_detail": Phrase("Nothing is lost. Try again in a moment."),
    "notice.not_let_in": Phrase(
        "Perhaps its operator has to let the pages of this site in first."
    ),
    "astray.heading": Phrase("There is nothing at this address"),
    "astray.words": Phrase(
        "It may have been cut off on its way to you, or what was here is gone."
    ),
    "astray.home": Phrase("To the games"),
    "notice.broken": Phrase("Something went wrong on this page"),
    "problem.version-conflict.detail": Phrase(
        "The board was brought up to date. Please choose again."
    ),
    "problem.too-many-guests.detail": Phrases(
        "Come back in 1 minute (at {time}), or go on with a match that is open.",
        "Come back in {count} minutes (at {time}), or go on with a match that is open.",
    ),
}
