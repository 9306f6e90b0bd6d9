"""What the audit view, and the page that an export can be, say of a proof."""

from services.web.words.phrases import Phrase, Phrases, Words

WORDS: Words = {
    "proof.link": Phrase("Proof"),
    "proof.heading": Phrase("Proof of a match"),
    "proof.intro": Phrase(
        "Every event of a match is chained to the one before it and signed. Here your "
        "own browser checks them, one by one, and plays each move again by the rules."
    ),
    "proof.file": Phrase("Drop an exported match anywhere on this page, or choose it:"),
    "proof.keep": Phrase("Save this match with its proof, as a file"),
    "proof.too_large": Phrase("The file is too large."),
    "proof.unreadable": Phrase("This cannot be read"),
    "proof.board": Phrase("The board after each event"),
    "proof.fact": Phrase("The event as it is recorded"),
    "proof.step": Phrase("Event"),
    "proof.checking": Phrase("Checking the log …"),
    # the verdict
    "proof.ok": Phrases(
        "OK: 1 event; the hash chain holds.",
        "OK: {count} events; the hash chain holds.",
    ),
    "proof.ok_ruled": Phrases(
        "OK: 1 event; hash chain and rules hold.",
        "OK: {count} events; hash chain and rules hold.",
    ),
    "proof.ok_signed": Phrases(
        "OK: 1 event; hash chain and signatures hold.",
        "OK: {count} events; hash chain and signatures hold.",
    ),
    "proof.ok_signed_ruled": Phrases(
        "OK: 1 event; hash chain, signatures and rules hold.",
        "OK: {count} events; hash chain, signatures and rules hold.",
    ),
    "proof.wrong": Phrase("NOT OK: {place}: {reason}"),
    "proof.wrong_more": Phrases(
        "NOT OK: {place}: {reason} (and 1 more)",
        "NOT OK: {place}: {reason} (and {count} more)",
    ),
    "proof.cut_off": Phrase(
        "NOT OK: the file is cut off: its end, with the signature of the whole, is "
        "missing"
    ),
    "proof.place.event": Phrase("event {version}"),
    "proof.place.header": Phrase("header"),
    "proof.place.head": Phrase("head"),
    "proof.place.header_or_head": Phrase("header or head"),
    "proof.place.this_page": Phrase("this page"),
    # what it rests on
    "proof.signed_by": Phrase(
        "Signed by {key} at {time}; the key stands in this file: compare it with those "
        "that the service publishes."
    ),
    "proof.signed_by_us": Phrase(
        "Signed by {key} at {time}, a key that this service has published."
    ),
    "proof.unsigned": Phrase(
        "This browser cannot check Ed25519 signatures: the hash chain was checked, "
        "which shows accidents, but not forgeries."
    ),
    "proof.replayed": Phrase(
        "{played} of {count} events were played again here, by the rules of {rules}; "
        "the boards are those that came of it. Whether the match was rightly led "
        "around the board (who may do what, offers and answers, other ends than those "
        "of the rules) is for `seedlog verify` to say."
    ),
    "proof.not_replayed": Phrase(
        "The rules of this game are not checked in this page; the boards are those "
        "that the service has drawn."
    ),
    "proof.older": Phrases(
        "1 event is of an older form, and was read as the service reads it.",
        "{count} events are of an older form, and were read as the service reads them.",
    ),
    "proof.no_board": Phrase("No board came of this event."),
    "proof.not_reached": Phrase("not checked: something before it is wrong"),
    # why something does not hold, as the verifier says it
    "why.its_text_is_not_the_one_that_was_signed": Phrase(
        "its text is not the one that was signed"
    ),
    "why.its_signature_does_not_hold": Phrase("its signature does not hold"),
    "why.its_line_cannot_be_read": Phrase("its line cannot be read"),
    "why.its_time_is_before_that_of_the_event_before_it": Phrase(
        "its time is before that of the event before it"
    ),
    "why.it_is_not_the_one_that_was_signed": Phrase(
        "it is not the one that was signed"
    ),
    "why.it_is_not_that_of_these_events": Phrase("it is not that of these events"),
    "why.cannot_be_read": Phrase("cannot be read"),
    "why.what_it_shows_beside_the_log_is_not_what_was_signed": Phrase(
        "what it shows beside the log is not what was signed"
    ),
    # the page to keep
    "proof.no_script": Phrase("Without JavaScript nothing on this page was checked."),
    "proof.offline": Phrase(
        "This page needs no network. It holds the export itself, which `seedlog "
        "verify` checks as well. Whoever may change this page may change what it says "
        "of itself; the saved file proves itself to others."
    ),
    "proof.save": Phrase("Save the export as JSON lines"),
}
