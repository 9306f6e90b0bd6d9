"""What events say again and again, kept as one character each.

Redis keeps the packed text; everybody else sees the canonical one. A control character
never stands in canonical JSON as it is, so the two cannot be confused. The table is
part of the layout of the log: a phrase may be added at the end, none ever changed,
and there are no more than 31 control characters.
"""

PHRASES = (
    "match.move_played",
    '{"digest":"',
    '","move":"',
    '","seat":"south"}',
    '","seat":"north"}',
    '","seat":"black"}',
    '","seat":"white"}',
    "match.turn_passed",
    "match.seat_taken",
    "match.opened",
    "match.ended",
    '{"kind":"human","player":"ply_',
    '{"kind":"ai","level":',
    '{"seat":"',
    ',"seat":"',
    '{"reason":"',
    '","score":{"',
    '},"winner":"',
    '},"winner":null}',
    '{"game":"',
    '","options":{',
    ',"rules":"',
    '","starter":"',
    '","tenant":"',
    "match.",
    "server",
    "seat",
    "south",
    "north",
)

_CODES = [(phrase, chr(number)) for number, phrase in enumerate(PHRASES, start=1)]
_PHRASES = dict(enumerate(PHRASES, start=1))


def pack(text: str) -> str:
    """Return a text with one character for each phrase."""
    for phrase, code in _CODES:
        if phrase in text:
            text = text.replace(phrase, code)
    return text


def unpack(text: str) -> str:
    """Return the text that was packed."""
    return text.translate(_PHRASES)
