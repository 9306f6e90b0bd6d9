"""The rules once more, slow and by labels, to compare with: written from RULES alone.

Each game is a function from a board (labels and seats, as `Position.board`), the seat
to move and a move to the board after it and the seat to move next, or None at the end.
Endless sowing, repetition and what follows a round are left to other tests.
"""

from collections.abc import Callable

Board = dict[str, int]
After = tuple[Board, str | None]

OTHER = {"south": "north", "north": "south"}


def own(seat: str, labels: str) -> list[str]:
    """Return the labels of a seat's own pits."""
    return [c for c in labels if c.isupper() == (seat == "south")]


def across(labels: str) -> dict[str, str]:
    """Return which pit faces which; *labels* are south's, then north's."""
    half = len(labels) // 2
    pairs = dict(zip(labels[:half], labels[: half - 1 : -1], strict=True))
    return pairs | {there: here for here, there in pairs.items()}


def sow(board: Board, ring: list[str], at: str, skip: set[str]) -> str:
    """Sow the seeds of a place along a ring; return where the last one fell."""
    hand, board[at] = board[at], 0
    index = ring.index(at)
    while hand:
        index = (index + 1) % len(ring)
        if ring[index] not in skip:
            board[ring[index]] += 1
            hand -= 1
    return ring[index]


def bao_children(board: Board, seat: str, move: str) -> After:
    """B2 to B7."""
    labels = "ABCDEFGHabcdefgh"
    ring = [*labels[:8], "south", *labels[8:], "north"]
    last = sow(board, ring, move, {move, OTHER[seat]})
    mine = own(seat, labels)
    if last in mine and board[last] == 1:
        facing = across(labels)[last]
        board[seat] += board[facing]
        board[facing] = 0
    if max(board["south"], board["north"]) >= 25:
        return board, None
    following = seat if last == seat else OTHER[seat]
    if not any(board[pit] for pit in own(following, labels)):
        for pit in own(OTHER[following], labels):
            board[OTHER[following]] += board[pit]
            board[pit] = 0
        return board, None
    return board, following


def bao_laps(board: Board, seat: str, move: str) -> After:
    """L2 to L6."""
    labels = "ABCDEFGHabcdefgh"
    last = sow(board, [*labels], move, set())
    while board[last] > 1:
        last = sow(board, [*labels], last, set())
    if last in own(seat, labels):
        facing = across(labels)[last]
        board[seat] += board[facing]
        board[facing] = 0
    following = OTHER[seat]
    if not any(board[pit] for pit in own(following, labels)):
        for pit in own(seat, labels):
            board[seat] += board[pit]
            board[pit] = 0
        return board, None
    return board, following


def congkak(board: Board, seat: str, move: str) -> After:
    """C2 to C7, a single round."""
    half = (len(board) - 2) // 2
    labels = "ABCDEFGHI"[:half] + "abcdefghi"[:half]
    ring = [*labels[:half][::-1], "south", *labels[half:][::-1], "north"]
    last = sow(board, ring, move, {OTHER[seat]})
    while last != seat and board[last] > 1:
        last = sow(board, ring, last, {OTHER[seat]})
    if last in own(seat, labels):
        facing = across(labels)[last]
        if board[facing]:
            board[seat] += board[facing] + 1
            board[facing] = board[last] = 0
    following = seat if last == seat else OTHER[seat]
    for turn in (following, OTHER[following]):
        if any(board[pit] for pit in own(turn, labels)):
            return board, turn
    return board, None


def oware_nam_nam(board: Board, seat: str, move: str) -> After:
    """N2 to N6, the first round; who owns what is who sits there."""
    labels = "ABCDEFabcdef"
    at, hand = labels.index(move), board[move]
    board[move] = 0
    while hand:
        at = (at + 1) % 12
        pit = labels[at]
        board[pit] += 1
        hand -= 1
        if board[pit] == 4:
            owner = "south" if pit.isupper() else "north"
            taker = owner if hand else seat
            board[taker] += 4
            board[pit] = 0
            if board["south"] + board["north"] == 44:
                board[taker] += 4
                for rest in labels:
                    board[rest] = 0
                return board, None
        elif not hand and board[pit] > 1:
            hand, board[pit] = board[pit], 0
    for turn in (OTHER[seat], seat):
        if any(board[pit] for pit in own(turn, labels)):
            return board, turn
    return board, None


def kujifunza_ring(seat: str) -> list[str]:
    """Return a seat's mashimo, clockwise (J2)."""
    front, back = "AB" if seat == "south" else "ab"
    return [f"{front}{n}" for n in range(1, 9)] + [
        f"{back}{n}" for n in range(8, 0, -1)
    ]


def kujifunza_captures(board: Board, seat: str, last: str) -> str | None:
    """Return the shimo that a last kete captures (J3), if any."""
    front, theirs = "Aa" if seat == "south" else "aA"
    facing = f"{theirs}{9 - int(last[1])}"
    if last[0] == front and board[last] > 1 and board[facing]:
        return facing
    return None


def kujifunza_turn(board: Board, seat: str, move: str, capturing: bool) -> bool:
    """Play a turn on the board (J3 to J8); return whether it emptied a front row."""
    clockwise = (move[2] == "R") == (move[0] in "Aa")
    ring = kujifunza_ring(seat)
    first = ring[0]
    at = move[:2]
    hand, board[at] = board[at], 0
    index = ring.index(at) + (1 if clockwise else -1)
    while True:
        for _ in range(hand):
            index %= 16
            last = ring[index]
            board[last] += 1
            index += 1 if clockwise else -1
        taken = kujifunza_captures(board, seat, last) if capturing else None
        if board[last] == 1:
            return False
        if taken is None:
            hand, board[last] = board[last], 0
            continue
        hand, board[taken] = board[taken], 0
        column = int(last[1])
        clockwise = column <= 2 or (column <= 6 and clockwise)
        index = ring.index(f"{first[0]}{1 if clockwise else 8}")
        if not any(board[f"{taken[0]}{n}"] for n in range(1, 9)):
            for _ in range(hand):
                board[ring[index % 16]] += 1
                index += 1 if clockwise else -1
            return True


def kujifunza_moves(board: Board, seat: str) -> tuple[list[str], bool]:
    """Return the moves of a seat, and whether they capture (J4, J7)."""
    ring = kujifunza_ring(seat)
    labels = [*ring[:8], *ring[:7:-1]]
    ways = [f"{label}{way}" for label in labels for way in "LR"]
    captures = []
    for move in ways:
        kete = board[move[:2]]
        step = 1 if (move[2] == "R") == (move[0] in "Aa") else -1
        last = ring[(ring.index(move[:2]) + step * kete) % 16]
        after = board | {last: board[last] + 1}
        if 2 <= kete <= 15 and kujifunza_captures(after, seat, last):
            captures.append(move)
    if captures:
        return captures, True
    for row in (ways[:16], ways[16:]):
        takata = [move for move in row if board[move[:2]] > 1]
        if takata:
            return takata, False
    return [], False


def bao_kujifunza(board: Board, seat: str, move: str) -> After:
    """J3 to J8, without endless sowings."""
    _, capturing = kujifunza_moves(board, seat)
    if kujifunza_turn(board, seat, move, capturing):
        return board, None
    following = OTHER[seat]
    front = "A" if seat == "south" else "a"
    if not any(board[f"{front}{n}"] for n in range(1, 9)):
        return board, None
    return board, following if kujifunza_moves(board, following)[0] else None


OPINIONS: dict[str, Callable[[Board, str, str], After]] = {
    "congkak": congkak,
    "oware-nam-nam": oware_nam_nam,
    "bao-children": bao_children,
    "bao-laps": bao_laps,
    "bao-kujifunza": bao_kujifunza,
}
