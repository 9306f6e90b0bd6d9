"""What the events of matches say again and again; the log keeps a character for each.

The table is part of the layout of the log: a phrase may be added at the end, none ever
changed, and there are no more than 31.
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
