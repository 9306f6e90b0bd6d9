# What every game has before its rules: C for the natives, and what a search keeps.
# The type `cell` and the constants of the game stand above.

cimport cython
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.unicode cimport PyUnicode_AsUTF8, PyUnicode_DecodeASCII

cdef extern from *:
    """
    #include <stdint.h>
    #include <time.h>
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define popcount(x) ((long long)__popcnt64(x))
    static inline long long lowest(unsigned long long x) {
        unsigned long at; _BitScanForward64(&at, x); return at;
    }
    #else
    #define popcount(x) ((long long)__builtin_popcountll(x))
    #define lowest(x) ((long long)__builtin_ctzll(x))
    #endif
    #define bit(i) (1ULL << (i))
    static inline long long floor_div(long long a, long long b) {
        return a / b - (a % b != 0 && (a < 0) != (b < 0));
    }
    static inline long long floor_mod(long long a, long long b) {
        long long rest = a % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    #define word_div(a, b) ((unsigned long long)(a) / (unsigned long long)(b))
    #define word_mod(a, b) ((unsigned long long)(a) % (unsigned long long)(b))
    static inline double now(void) {
    #if defined(CLOCK_MONOTONIC)
        struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
        return t.tv_sec + t.tv_nsec * 1e-9;
    #else
        struct timespec t; timespec_get(&t, TIME_UTC);
        return t.tv_sec + t.tv_nsec * 1e-9;
    #endif
    }
    """
    long long popcount(unsigned long long) nogil
    long long lowest(unsigned long long) nogil
    unsigned long long bit(unsigned long long) nogil
    long long floor_div(long long, long long) nogil
    long long floor_mod(long long, long long) nogil
    unsigned long long word_div(unsigned long long, unsigned long long) nogil
    unsigned long long word_mod(unsigned long long, unsigned long long) nogil
    double now() nogil

ctypedef long long i64
ctypedef unsigned long long u64

cdef enum:
    PLIES = 64
    TEXT = 1024
    TABLE_BITS = 20
    TABLE_MASK = (1 << 20) - 1

ctypedef struct Entry:
    u64 key
    i64 entry

ctypedef struct Memory:
    i64 nodes
    i64 limit
    i64 stopped
    double deadline
    const unsigned char *cancel
    Entry *table
    cell boards[PLIES][WORK]
    i64 moves[PLIES][MAX_MOVES]
    i64 ranks[PLIES][MAX_MOVES]
    i64 killers[PLIES]
    i64 history[2 * MOVE_IDS]

cdef inline i64 fingerprint(cell *board, i64 size) noexcept nogil:
    cdef u64 found = 0x9E3779B97F4A7C15ULL
    cdef int at
    for at in range(SIZE):
        found = (found ^ <u64>board[at]) * 0xD6E8FEB86659FD93ULL
        found ^= found >> 32
    return <i64>found

cdef inline i64 find_entry(Memory *memory, i64 key) noexcept nogil:
    cdef Entry *found = &memory.table[<u64>key & TABLE_MASK]
    if found.key == <u64>key and found.entry:
        return found.entry - 1
    return -1

cdef inline void put_entry(Memory *memory, i64 key, i64 entry) noexcept nogil:
    cdef Entry *found = &memory.table[<u64>key & TABLE_MASK]
    found.key = <u64>key
    found.entry = entry + 1

cdef inline i64 out_of_budget(Memory *memory) noexcept nogil:
    if memory.nodes >= memory.limit:
        return 1
    if (memory.nodes & 15) != 1:
        return 0
    if memory.cancel != NULL and memory.cancel[0]:
        return 1
    return now() > memory.deadline
