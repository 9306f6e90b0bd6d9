# What Python calls, behind the translated rules of a game.

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

def lead(list cells):
    """Return how far the first seat is ahead."""
    cdef cell board[WORK]
    take_cells(board, cells)
    return score(board)

cdef i64 count_lines(cell *board, i64 depth) except? -8076285710893467503 nogil:
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

# Repetition (G9) is counted by a mark of each position, and by its bytes where marks meet

cdef enum:
    KEY = TURN + 1

cdef i64 mark_of(unsigned char *key) noexcept nogil:
    cdef u64 mark = 0x9E3779B97F4A7C15ULL
    cdef int at
    for at in range(KEY):
        mark = (mark ^ key[at]) * 0xD6E8FEB86659FD93ULL
        mark ^= mark >> 32
    return <i64>mark

cdef class Line:
    """A board on which moves are played in place, and what has come up since.

    *before* are the positions seen already.
    """

    cdef cell cells[WORK]
    cdef i64 count
    cdef i64 room
    cdef i64 *marks
    cdef unsigned char *keys
    cdef list told
    cdef readonly i64 mover
    """The seat that moved last; -1: none."""

    def __init__(self, list cells, tuple before):
        cdef unsigned char key[KEY]
        cdef int at
        take_cells(self.cells, cells)
        self.mover = -1
        self.count = 0
        self.told = []
        for known in before:
            if not isinstance(known, bytes) or len(known) != KEY:
                raise ValueError(f"a position seen is {KEY} bytes, not {known!r}")
            for at in range(KEY):
                key[at] = known[at]
            self.remember(key)

    def __dealloc__(self):
        free(self.marks)
        free(self.keys)

    def play(self, moves):
        """Play moves as far as they are legal; return how many were."""
        cdef i64 done = 0
        for move in moves:
            if not self.play_one(move, False):
                break
            done += 1
        return done

    def play_plain(self, i64 move):
        """Play a move that is legal and causes no more; return whether it is one.

        It ends no game, makes no seat pass and takes no disc. Others are not played.
        """
        return self.play_one(move, True)

    @property
    def turn(self):
        """The seat to move, 0 or 1."""
        return self.cells[TURN]

    @property
    def board(self):
        """The board, as a list of the caller's own."""
        return cells_of(self.cells)

    @property
    def seen(self):
        """The positions since the last change for good, this one included."""
        cdef i64 at
        for at in range(len(self.told), self.count):
            self.told.append((<char *>self.keys)[at * KEY:(at + 1) * KEY])
        return tuple(self.told)

    @cython.boundscheck(True)
    def write(self, str template, tuple order, str movers):
        """Return a template with the counts of cells in the places of its `%d`.

        For `%c` stands one of the movers, of which the cell has the index.
        """
        cdef Py_ssize_t at = 0, end = 0, size = len(template), count, place = 0, cell_at
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
            cell_at = order[place]
            if not 0 <= cell_at < WORK:
                raise IndexError(f"there is no cell {cell_at}")
            count = self.cells[cell_at]
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

    cdef bint caused_more(self):
        if self.cells[OVER] or (PASSED >= 0 and self.cells[PASSED]):
            return True
        return GIVEN >= 0 and self.cells[GIVEN] != 0

    cdef bint play_one(self, i64 move, bint plain) except -1:
        cdef i64 out[MAX_MOVES]
        cdef cell before[WORK]
        cdef cell kept[LASTING_COUNT + 1]
        cdef i64 at, mover = self.cells[TURN], legal_count = legal(self.cells, out)
        cdef bint changed = False
        for at in range(legal_count):
            if out[at] == move:
                break
        else:
            return False
        if plain:
            memcpy(before, self.cells, sizeof(before))
        for at in range(LASTING_COUNT):
            kept[at] = self.cells[LASTING_CELLS[at]]
        apply(self.cells, move)
        for at in range(LASTING_COUNT):
            if kept[at] != self.cells[LASTING_CELLS[at]]:
                changed = True
        if RECURS and not (plain and self.caused_more()):
            self.count_position(changed, plain)
        if plain and self.caused_more():
            memcpy(self.cells, before, sizeof(before))
            return False
        self.mover = mover
        return True

    cdef int count_position(self, bint changed, bint plain) except -1:
        cdef unsigned char key[KEY]
        cdef i64 mark, at, times = 0
        if changed or not self.is_counted():
            self.forget()
        if not self.is_counted():
            return 0
        write_key(self.cells, key)
        mark = mark_of(key)
        for at in range(self.count):
            if self.marks[at] == mark and not memcmp(self.keys + at * KEY, key, KEY):
                times += 1
        if times < 2:
            self.remember(key)
            return 0
        standstill(self.cells)
        if plain and self.caused_more():
            return 0  # it is taken back
        self.forget()
        if self.is_counted():
            write_key(self.cells, key)
            self.remember(key)
        return 0

    cdef bint is_counted(self) noexcept:
        return not self.cells[OVER] and not (CLAIMING >= 0 and self.cells[CLAIMING])

    cdef int forget(self) except -1:
        self.count = 0
        if self.told:
            self.told = []
        return 0

    cdef int remember(self, unsigned char *key) except -1:
        cdef i64 room
        cdef void *wider
        if self.count == self.room:
            room = 2 * self.room + 64
            wider = realloc(self.marks, room * sizeof(i64))
            if wider == NULL:
                raise MemoryError()
            self.marks = <i64 *>wider
            wider = realloc(self.keys, room * KEY)
            if wider == NULL:
                raise MemoryError()
            self.keys = <unsigned char *>wider
            self.room = room
        self.marks[self.count] = mark_of(key)
        memcpy(self.keys + self.count * KEY, key, KEY)
        self.count += 1
        return 0

cdef void write_key(cell *board, unsigned char *key) noexcept nogil:
    cdef int at
    for at in range(KEY):
        key[at] = <unsigned char>board[at]

cdef Py_ssize_t write_number(char *text, Py_ssize_t end, Py_ssize_t count) noexcept:
    cdef Py_ssize_t after = end + 1, rest = count
    while rest >= 10:
        after += 1
        rest //= 10
    for at in range(after - 1, end - 1, -1):
        text[at] = <char>(48 + count % 10)
        count //= 10
    return after

cdef class Searcher:
    """One search with one budget; it holds no lock of the interpreter.

    *table* is room that is shared with others (see `search.table`), or its own.
    """

    cdef Memory *memory
    cdef bytearray cancel  # held, so that it stays where it is
    cdef Py_buffer table
    cdef Py_buffer endings
    cdef Py_buffer links
    cdef void *own

    def __cinit__(
        self, i64 nodes, double seconds, bytearray cancel=None, table=None,
        i64 age=0, u64 salt=0
    ):
        cdef size_t size = OWN_TABLE_BYTES
        self.memory = <Memory *>calloc(1, sizeof(Memory))
        if self.memory == NULL:
            raise MemoryError()
        if table is None:
            self.own = calloc(size + 64, 1)
            if self.own == NULL:
                raise MemoryError()
            self.memory.table = <Entry *>((<size_t>self.own + 63) & ~<size_t>63)
        else:
            PyObject_GetBuffer(table, &self.table, PyBUF_WRITABLE)
            self.memory.table = <Entry *>self.table.buf
            size = self.table.len
        self.memory.buckets_mask = size // (BUCKET * sizeof(Entry)) - 1
        self.memory.age = age
        self.memory.salt = salt
        self.memory.limit = nodes
        self.memory.deadline = now() + seconds
        if cancel is not None:
            self.cancel = cancel
            self.memory.cancel = <unsigned char *>PyByteArray_AS_STRING(cancel)

    def __dealloc__(self):
        PyBuffer_Release(&self.endings)
        PyBuffer_Release(&self.links)
        PyBuffer_Release(&self.table)  # does nothing where none was got
        free(self.own)
        if self.memory != NULL:
            free(self.memory.ends)
        free(self.memory)

    @property
    def stopped(self):
        """Whether the budget is used up, so that the last value is worthless."""
        return self.memory.stopped != 0

    @property
    def proven(self):
        """Whether the last value stands on finished games alone."""
        return self.memory.proven != 0

    @property
    def nodes(self):
        """How many positions were looked at."""
        return self.memory.nodes

    @property
    def plays(self):
        """How many moves were played, those that were only tried to sort them too."""
        return self.memory.plays

    def go_on(self, i64 nodes, double seconds):
        """Look at positions up to this many in all, for so long, although stopped."""
        self.memory.limit = nodes
        self.memory.deadline = now() + seconds
        self.memory.stopped = 0

    def remember(self, list boards):
        """Take note of positions that would not come up for the first time."""
        cdef cell board[WORK]
        self.memory.before = 0
        for cells in boards[:PLAYED]:
            take_cells(board, cells)
            self.memory.played[self.memory.before] = key_of(board)
            self.memory.before += 1

    def value(self, list cells, i64 depth, i64 alpha, i64 beta):
        """Return what a board is worth to the seat to move, within a window."""
        cdef i64 found
        take_cells(self.memory.boards[0], cells)
        with nogil:
            found = negamax(self.memory, 0, 0, depth, alpha, beta)
        return found

    def use_insight(self):
        """Go by what was learned after the levels were fitted, too."""
        self.memory.insight = 1

    def use_endings(self, values, i64 seeds):
        """Take the values of all positions up to so many seeds as known."""
        PyBuffer_Release(&self.endings)
        PyObject_GetBuffer(values, &self.endings, PyBUF_SIMPLE)
        self.memory.endings = <signed char *>self.endings.buf
        self.memory.ending_seeds = seeds

    def fill_endings(self, list cells, values, i64 seeds):
        """Value all positions of so many seeds, when those of fewer are; count them."""
        cdef i64 found
        self.use_endings(values, 0)
        take_cells(self.memory.boards[0], cells)
        with nogil:
            found = fill_endings(self.memory, seeds)
        return found

    def use_links(self, list cells, values, links):
        """Get ready to link and narrow the endings of a game."""
        self.use_endings(values, 0)
        PyBuffer_Release(&self.links)
        PyObject_GetBuffer(links, &self.links, PyBUF_WRITABLE)
        self.memory.links = <int *>self.links.buf
        take_cells(self.memory.boards[0], cells)

    def link_endings(self, i64 seeds, i64 begin, i64 end):
        """Begin the bounds of the places from *begin* to *end*, of so many seeds."""
        with nogil:
            link_endings(self.memory, seeds, begin, end)

    def narrow_endings(self, i64 seeds, i64 begin, i64 end):
        """Narrow their bounds, once; return of how many places."""
        cdef i64 found
        with nogil:
            found = narrow_endings(self.memory, seeds, begin, end)
        return found

    def line(self, list cells, i64 most):
        """Return the moves that are remembered from a board on, so many at most.

        It ends where a position would come up again.
        """
        cdef cell board[WORK]
        cdef i64 out[MAX_MOVES]
        cdef i64 key, entry, move, count, at
        take_cells(board, cells)
        moves, keys = [], set()
        while len(moves) < most and not board[OVER]:
            key = key_of(board)
            entry = find_entry(self.memory, key)
            if entry < 0 or key in keys:
                break
            keys.add(key)
            move = entry_move(entry)
            count = legal(board, out)
            for at in range(count):
                if out[at] == move:
                    break
            else:
                break
            moves.append(move)
            apply(board, move)
        return moves

    def solve(self, list cells, i64 alpha, i64 beta):
        """Return the final margin of the seat to move, in whole seeds or discs."""
        cdef i64 found
        if not SOLVES:
            raise ValueError("nothing solves this game")
        take_cells(self.memory.boards[0], cells)
        with nogil:
            found = solve(self.memory, self.memory.boards[0], 0, alpha, beta)
        return found
