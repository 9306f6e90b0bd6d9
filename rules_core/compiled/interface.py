"""The Cython behind the translated rules: what Python calls.

`@ERRORS@` says whether a rule can raise: only in a checked build.
"""

INTERFACE = '''

cdef int take_cells(cell *board, list cells) except -1:
    cdef int at = 0
    if len(cells) != WORK:
        raise ValueError(f"a board of this game has {WORK} cells, not {len(cells)}")
    try:
        for at in range(WORK):
            if not isinstance(cells[at], int):
                raise TypeError(f"cell {at} is {cells[at]!r}, which is no int")
            board[at] = cells[at]
    except OverflowError:
        bits = 8 * sizeof(cell)
        span = f"0 to 2**{bits} - 1" if bits == 64 else f"{-2**15} to {2**15 - 1}"
        raise ValueError(f"cell {at} is {cells[at]}; a cell holds {span}") from None
    if board[TURN] != 0 and board[TURN] != 1:
        raise ValueError(f"the seat to move is 0 or 1, not {board[TURN]}")
    return 0

cdef list cells_of(cell *board):
    return [board[at] for at in range(WORK)]

def legal_moves(list cells):
    """Return the ids of the legal moves."""
    cdef cell board[WORK]
    cdef i64 out[MAX_MOVES]
    cdef i64 found
    take_cells(board, cells)
    found = legal(board, out)
    return [out[at] for at in range(found)]

def play(list cells, i64 move):
    """Return the board after a legal move.

    :raises ValueError: the move is not legal.
    """
    after = step(cells, move)
    if after is None:
        raise ValueError(f"{move} is not a legal move here")
    return after

def step(list cells, i64 move):
    """Return the board after a move, or None if it is not legal."""
    cdef cell board[WORK]
    cdef i64 out[MAX_MOVES]
    cdef i64 found, at
    take_cells(board, cells)
    found = legal(board, out)
    for at in range(found):
        if out[at] == move:
            apply(board, move)
            return cells_of(board)
    return None

@cython.boundscheck(True)
def write_text(str template, tuple order, str movers, list cells):
    """Return a template with the counts of cells in the places of its `%d`.

    For `%c` stands one of the movers, of which the cell has the index.
    """
    cdef Py_ssize_t at = 0, end = 0, size = len(template), count, place = 0
    cdef const char *blank = PyUnicode_AsUTF8(template)
    cdef char text[TEXT]
    if not template.isascii() or size + 20 * len(order) > TEXT:
        raise ValueError("this is no template of a position")
    while at < size:
        if blank[at] != 37:  # %
            text[end] = blank[at]
            at += 1
            end += 1
            continue
        count = cells[order[place]]
        if count < 0:
            raise ValueError("a count is never below zero")
        place += 1
        if at + 1 < size and blank[at + 1] == 99:  # c
            text[end] = <char>ord(movers[count])
            end += 1
        else:
            end = write_number(text, end, count)
        at += 2
    return PyUnicode_DecodeASCII(text, end, NULL)

cdef Py_ssize_t write_number(char *text, Py_ssize_t end, Py_ssize_t count) noexcept:
    cdef Py_ssize_t after = end + 1, rest = count
    while rest >= 10:
        after += 1
        rest //= 10
    for at in range(after - 1, end - 1, -1):
        text[at] = <char>(48 + count % 10)
        count //= 10
    return after

def lead(list cells):
    """Return how far the first seat is ahead."""
    cdef cell board[WORK]
    take_cells(board, cells)
    return score(board)

cdef i64 count_lines(cell *board, i64 depth) @ERRORS@ nogil:
    cdef cell after[WORK]
    cdef i64 out[MAX_MOVES]
    cdef i64 found, at, lines, left
    if depth <= 0:
        return 1
    found = legal(board, out)
    if found == 0:
        return 1
    if depth == 1:
        return found
    lines = 0
    for at in range(found):
        memcpy(after, board, WORK * sizeof(cell))
        apply(after, out[at])
        left = depth - 1
        if PASSED >= 0 and after[PASSED]:
            left -= 1
        lines += count_lines(after, left)
    return lines

def perft(list cells, i64 depth):
    """Count the lines of so many plies; a finished game is one, a pass is a ply."""
    cdef cell board[WORK]
    cdef i64 lines
    take_cells(board, cells)
    with nogil:
        lines = count_lines(board, depth)
    return lines

# Repetition (G9): the positions since the last change for good

cdef enum:
    KEY = TURN + 1

ctypedef struct Seen:
    i64 count
    i64 room
    i64 *marks
    unsigned char *keys

cdef i64 mark_of(unsigned char *key) noexcept nogil:
    cdef u64 mark = 0x9E3779B97F4A7C15ULL
    cdef int at
    for at in range(KEY):
        mark = (mark ^ key[at]) * 0xD6E8FEB86659FD93ULL
        mark ^= mark >> 32
    return <i64>mark

cdef int remember(Seen *seen, unsigned char *key) except -1:
    cdef i64 room
    if seen.count == seen.room:
        room = 2 * seen.room + 64
        seen.marks = <i64 *>realloc(seen.marks, room * sizeof(i64))
        seen.keys = <unsigned char *>realloc(seen.keys, room * KEY)
        if seen.marks == NULL or seen.keys == NULL:
            raise MemoryError()
        seen.room = room
    seen.marks[seen.count] = mark_of(key)
    memcpy(seen.keys + seen.count * KEY, key, KEY)
    seen.count += 1
    return 0

cdef void write_key(cell *board, unsigned char *key) noexcept nogil:
    cdef int at
    for at in range(KEY):
        key[at] = <unsigned char>board[at]

cdef int count_position(Seen *seen, cell *board, bint changed) except -1:
    cdef unsigned char key[KEY]
    cdef i64 mark, at, times
    if not REPEATS or board[OVER]:
        seen.count = 0
        return 0
    if changed:
        seen.count = 0
    if CLAIMING >= 0 and board[CLAIMING]:
        seen.count = 0
        return 0
    write_key(board, key)
    mark = mark_of(key)
    times = 0
    for at in range(seen.count):
        if seen.marks[at] == mark and memcmp(seen.keys + at * KEY, key, KEY) == 0:
            times += 1
    if times < 2:
        remember(seen, key)
        return 0
    standstill(board)
    seen.count = 0
    if not board[OVER] and not (CLAIMING >= 0 and board[CLAIMING]):
        write_key(board, key)
        remember(seen, key)
    return 0

def replay(list cells, tuple before, list moves):
    """Play moves as far as they are legal.

    Returns how many were, the board, the positions seen since the last change for good
    and the seat that moved last (-1: none). *before* are the positions seen already.
    """
    cdef cell board[WORK]
    cdef i64 out[MAX_MOVES]
    cdef cell kept[LASTING_COUNT + 1]
    cdef Seen seen
    cdef unsigned char key[KEY]
    cdef i64 found, at, move
    cdef i64 mover = -1, done = 0
    cdef bint is_legal, changed
    take_cells(board, cells)
    seen.count = seen.room = 0
    seen.marks = NULL
    seen.keys = NULL
    try:
        for known in before:
            if not isinstance(known, bytes) or len(known) != KEY:
                raise ValueError(f"a position seen is {KEY} bytes, not {known!r}")
            for at in range(KEY):
                key[at] = known[at]
            remember(&seen, key)
        for move in moves:
            found = legal(board, out)
            is_legal = False
            for at in range(found):
                if out[at] == move:
                    is_legal = True
            if not is_legal:
                break
            mover = board[TURN]
            for at in range(LASTING_COUNT):
                kept[at] = board[LASTING_CELLS[at]]
            apply(board, move)
            changed = False
            for at in range(LASTING_COUNT):
                if kept[at] != board[LASTING_CELLS[at]]:
                    changed = True
            count_position(&seen, board, changed)
            done += 1
        keys = tuple(
            [(<char *>seen.keys)[at * KEY:(at + 1) * KEY] for at in range(seen.count)]
        )
        return done, cells_of(board), keys, mover
    finally:
        free(seen.marks)
        free(seen.keys)

cdef class Searcher:
    """One search with one budget; it holds no lock of the interpreter."""

    cdef Memory *memory

    def __cinit__(self, i64 nodes, double seconds):
        cdef int at
        self.memory = <Memory *>calloc(1, sizeof(Memory))
        self.memory.table = <Entry *>calloc(1 << TABLE_BITS, sizeof(Entry))
        if self.memory.table == NULL:
            raise MemoryError()
        self.memory.limit = nodes
        self.memory.deadline = now() + seconds
        for at in range(PLIES):
            self.memory.killers[at] = -1

    def __dealloc__(self):
        if self.memory != NULL:
            free(self.memory.table)
            free(self.memory)

    @property
    def stopped(self):
        """Whether the budget is used up, so that the last value is worthless."""
        return self.memory.stopped != 0

    @property
    def nodes(self):
        """How many positions were looked at."""
        return self.memory.nodes

    def value(self, list cells, i64 depth, i64 alpha, i64 beta):
        """Return what a board is worth to the seat to move, within a window."""
        cdef i64 found
        take_cells(self.memory.boards[0], cells)
        with nogil:
            found = negamax(self.memory, 0, depth, alpha, beta)
        return found
'''
