# What every game has before its rules: C for the natives, and what a search keeps.
# The type `cell` and the constants of the game stand above.

cimport cython
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.unicode cimport PyUnicode_AsUTF8, PyUnicode_DecodeASCII

cdef extern from *:
    """
    #include <stdint.h>
    #include <time.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define popcount(x) ((long long)__popcnt64(x))
    static inline long long lowest(unsigned long long x) {
        unsigned long at; _BitScanForward64(&at, x); return at;
    }
    static inline long long highest(unsigned long long x) {
        unsigned long at; _BitScanReverse64(&at, x); return at;
    }
    #else
    #define popcount(x) ((long long)__builtin_popcountll(x))
    #define lowest(x) ((long long)__builtin_ctzll(x))
    #define highest(x) ((long long)(63 ^ __builtin_clzll(x)))
    #endif
    #if defined(__GNUC__)
    #define prefetch(at) __builtin_prefetch(at)
    #else
    #define prefetch(at) ((void)(at))
    #endif
    #define bit(i) (1ULL << (i))
    #define gather(x, factor) ((long long)((x) * (factor) >> 56))
    static inline long long floor_div(long long a, long long b) {
        return a / b - (a % b != 0 && (a < 0) != (b < 0));
    }
    static inline long long floor_mod(long long a, long long b) {
        long long rest = a % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    #define word_div(a, b) ((unsigned long long)(a) / (unsigned long long)(b))
    #define word_mod(a, b) ((unsigned long long)(a) % (unsigned long long)(b))
    static inline void in_large_pages(void *place, size_t size) {
    #if defined(MADV_HUGEPAGE)
        madvise((void *)(((size_t)place + 4095) & ~(size_t)4095), size - 4096,
                MADV_HUGEPAGE);
    #endif
    }
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
    long long highest(unsigned long long) nogil
    long long gather(unsigned long long, unsigned long long) nogil
    unsigned long long bit(unsigned long long) nogil
    long long floor_div(long long, long long) nogil
    long long floor_mod(long long, long long) nogil
    unsigned long long word_div(unsigned long long, unsigned long long) nogil
    unsigned long long word_mod(unsigned long long, unsigned long long) nogil
    double now() nogil
    void in_large_pages(void *, size_t) nogil
    void prefetch(void *) nogil

ctypedef long long i64
ctypedef unsigned long long u64

cdef enum:
    PLIES = 192
    ROWS = 1 + PLIES * MAX_MOVES
    PLAYED = 64
    BUCKET = 4
    BINOMIALS = 64
    OWN_TABLE_BYTES = 1 << 22
    TEXT = 1024
    AGE_BITS = 56

ctypedef struct Entry:
    u64 key  # of the position, xor what is kept: so an entry half written fits nothing
    u64 kept

ctypedef struct End:
    u64 own
    u64 other
    u64 entry

ctypedef struct Memory:
    i64 nodes
    i64 plays
    i64 limit
    i64 stopped
    i64 proven
    i64 insight
    i64 before
    double deadline
    const unsigned char *cancel
    Entry *table
    End *ends
    u64 buckets_mask
    u64 salt
    u64 age
    i64 ending_seeds
    signed char *endings
    int *links
    cell boards[ROWS][WORK]
    i64 moves[PLIES][MAX_MOVES]
    i64 ranks[PLIES][MAX_MOVES]
    i64 keys_after[PLIES][MAX_MOVES]
    i64 keys[PLIES]
    i64 played[PLAYED]
    i64 history[2 * MOVE_IDS]

cdef inline i64 fingerprint(cell *board, i64 size) noexcept nogil:
    cdef u64 words[KEY_WORDS]
    cdef u64 found = 0x9E3779B97F4A7C15ULL
    cdef int at
    words[KEY_WORDS - 1] = 0
    memcpy(words, board, SIZE * sizeof(cell))
    for at in range(KEY_WORDS):
        found = (found ^ words[at]) * 0xD6E8FEB86659FD93ULL
        found ^= found >> 32
    return <i64>found

cdef i64 CHOICES[BINOMIALS][BINOMIALS]  # Pascal's triangle

cdef inline i64 binomial(i64 n, i64 k) noexcept nogil:
    return CHOICES[n][k]

cdef void fill_binomials() noexcept nogil:
    cdef int n, k
    for n in range(BINOMIALS):
        CHOICES[n][0] = 1
        for k in range(1, n + 1):
            CHOICES[n][k] = CHOICES[n - 1][k - 1] + (CHOICES[n - 1][k] if k < n else 0)

fill_binomials()

cdef inline i64 ending_at(Memory *memory, i64 place) noexcept nogil:
    return memory.endings[place]

cdef inline void put_ending(Memory *memory, i64 place, i64 value) noexcept nogil:
    memory.endings[place] = <signed char>value

cdef inline i64 link_at(Memory *memory, i64 index) noexcept nogil:
    return memory.links[index]

cdef inline void put_link(Memory *memory, i64 index, i64 place) noexcept nogil:
    memory.links[index] = <int>place

cdef inline Entry *bucket_of(Memory *memory, u64 key) noexcept nogil:
    return &memory.table[BUCKET * (key & memory.buckets_mask)]

cdef inline void fetch_entry(Memory *memory, i64 key) noexcept nogil:
    prefetch(bucket_of(memory, <u64>key ^ memory.salt))

cdef inline i64 find_entry(Memory *memory, i64 key) noexcept nogil:
    cdef u64 salted = <u64>key ^ memory.salt
    cdef Entry *bucket = bucket_of(memory, salted)
    cdef u64 kept
    cdef int at
    for at in range(BUCKET):
        kept = bucket[at].kept
        if (bucket[at].key ^ kept) == salted and kept:
            return <i64>(kept & ((1ULL << AGE_BITS) - 1))
    return -1

cdef inline void put_entry(Memory *memory, i64 key, i64 entry) noexcept nogil:
    cdef u64 salted = <u64>key ^ memory.salt
    cdef Entry *bucket = bucket_of(memory, salted)
    cdef u64 kept
    cdef i64 worth, least_worth = 1 << 30
    cdef int at, place = 0
    for at in range(BUCKET):
        kept = bucket[at].kept
        if (bucket[at].key ^ kept) == salted:
            place = at
            break
        worth = (kept >> 11) & 255  # the depth, see `entry_depth`
        if (kept >> AGE_BITS) == memory.age:
            worth += 1024
        if not kept:
            worth = -1
        if worth < least_worth:
            least_worth = worth
            place = at
    kept = <u64>entry | (memory.age << AGE_BITS)
    bucket[place].key = salted ^ kept
    bucket[place].kept = kept

# What is proven of two words, to the bit: each is kept mixed with the entry, so that one
# which two threads wrote at once is not found. The larger half of a pair of places is
# for what took more squares to fill, the other for the latest.

cdef enum:
    END_BITS = 20
    END_MASK = (1 << 20) - 2

cdef inline u64 end_place(u64 own, u64 other) noexcept nogil:
    cdef u64 mixed = (own * 0x9E3779B97F4A7C15ULL) ^ (other * 0xD6E8FEB86659FD93ULL)
    return ((mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9ULL >> 40) & END_MASK

cdef inline i64 find_end(Memory *memory, u64 own, u64 other) noexcept nogil:
    cdef End *found
    cdef u64 entry
    cdef int half
    if memory.ends == NULL:
        return -1
    found = &memory.ends[end_place(own, other)]
    for half in range(2):
        entry = found[half].entry
        if (found[half].own ^ entry) == own and (found[half].other ^ entry) == other:
            return <i64>entry - 1
    return -1

cdef inline void put_end(Memory *memory, u64 own, u64 other, i64 entry) noexcept nogil:
    cdef End *place
    cdef u64 kept, taken
    if memory.ends == NULL:
        memory.ends = <End *>calloc(1 << END_BITS, sizeof(End))
        if memory.ends == NULL:
            return
        in_large_pages(memory.ends, sizeof(End) << END_BITS)
    place = &memory.ends[end_place(own, other)]
    kept = place.entry
    if (place.own ^ kept) != own or (place.other ^ kept) != other:
        taken = (place.own ^ kept) | (place.other ^ kept)
        if kept and popcount(taken) < popcount(own | other):
            place += 1
    place.entry = <u64>(entry + 1)
    place.own = own ^ place.entry
    place.other = other ^ place.entry

cdef inline i64 is_late(Memory *memory) noexcept nogil:
    if memory.cancel != NULL and memory.cancel[0]:
        return 1
    return now() > memory.deadline

cdef inline i64 out_of_budget(Memory *memory) noexcept nogil:
    if memory.nodes >= memory.limit:
        return 1
    # where moves must be tried to know whether they end, few positions take long
    if WORK == SIZE and (memory.nodes & 15) != 1:
        return 0
    if TRIES and (memory.nodes & 3) != 1:
        return 0
    return is_late(memory)
