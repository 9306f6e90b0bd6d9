# The checks of the checked build. `SITES` and `Trapped` stand above; `RAISES` in
# `checked.py` says what the numbers behind `except?` are.

cdef extern from *:
    """
    #define adds __builtin_add_overflow
    #define subs __builtin_sub_overflow
    #define muls __builtin_mul_overflow
    """
    bint adds(...) nogil
    bint subs(...) nogil
    bint muls(...) nogil

cdef int trap(int site, const char *what) except -1 with gil:
    raise Trapped(f"{SITES[site]}: {what.decode()}")

cdef int trap_index(int site, i64 index, i64 size) except -1 with gil:
    raise Trapped(f"{SITES[site]}: there is no cell {index}, there are {size}")

cdef int trap_width(int site, i64 number) except -1 with gil:
    raise Trapped(f"{SITES[site]}: {number} does not fit into a cell of 16 bits")

cdef inline i64 checked_index(i64 index, i64 size, int site) except -1 nogil:
    if index < 0 or index >= size:
        trap_index(site, index, size)
    return index

cdef inline i64 checked_cell(i64 number, int site) except? -8076285710893467503 nogil:
    if sizeof(cell) == 2 and (number < -32768 or number > 32767):
        trap_width(site, number)
    return number

cdef inline u64 checked_bits(i64 number, int site) except? 10370458362816084113 nogil:
    if number < 0:
        trap(site, b"the bits of a number below zero have no end")
    return <u64>number

cdef inline i64 checked_number(u64 number, int site) except? -8076285710893467503 nogil:
    if number >> 63:
        trap(site, b"the word is too large for a number")
    return <i64>number

cdef inline u64 checked_any(u64 word, int site) except? 10370458362816084113 nogil:
    if word == 0:
        trap(site, b"no bit of 0 is the lowest")
    return word

cdef inline i64 checked_divisor(i64 number, int site) except? -8076285710893467503 nogil:
    if number == 0:
        trap(site, b"division by 0")
    return number

cdef inline i64 checked_shift(i64 by, int site) except -1 nogil:
    if by < 0 or by > 63:
        trap(site, b"a shift by less than 0 or more than 63")
    return by

cdef inline i64 checked_add(i64 a, i64 b, int site) except? -8076285710893467503 nogil:
    cdef i64 found = 0
    if adds(a, b, &found):
        trap(site, b"the sum has more than 64 bits")
    return found

cdef inline i64 checked_sub(i64 a, i64 b, int site) except? -8076285710893467503 nogil:
    cdef i64 found = 0
    if subs(a, b, &found):
        trap(site, b"the difference is below zero, or has more than 64 bits")
    return found

cdef inline i64 checked_mul(i64 a, i64 b, int site) except? -8076285710893467503 nogil:
    cdef i64 found = 0
    if muls(a, b, &found):
        trap(site, b"the product has more than 64 bits")
    return found

cdef inline i64 checked_shl(i64 a, i64 by, int site) except? -8076285710893467503 nogil:
    checked_shift(by, site)
    if (<i64>(<u64>a << by)) >> by != a:
        trap(site, b"bits fall out of 64")
    return <i64>(<u64>a << by)

cdef inline i64 checked_cut(i64 a, i64 by, int site) except? -8076285710893467503 nogil:
    return <i64>(<u64>a << checked_shift(by, site))

cdef inline i64 checked_shr(i64 a, i64 by, int site) except? -8076285710893467503 nogil:
    return a >> checked_shift(by, site)
cdef inline u64 checked_add_word(u64 a, u64 b, int site) except? 10370458362816084113 nogil:
    cdef u64 found = 0
    if adds(a, b, &found):
        trap(site, b"the sum has more than 64 bits")
    return found

cdef inline u64 checked_sub_word(u64 a, u64 b, int site) except? 10370458362816084113 nogil:
    cdef u64 found = 0
    if subs(a, b, &found):
        trap(site, b"the difference is below zero, or has more than 64 bits")
    return found

cdef inline u64 checked_mul_word(u64 a, u64 b, int site) except? 10370458362816084113 nogil:
    cdef u64 found = 0
    if muls(a, b, &found):
        trap(site, b"the product has more than 64 bits")
    return found

cdef inline u64 checked_shl_word(u64 a, i64 by, int site) except? 10370458362816084113 nogil:
    checked_shift(by, site)
    if (<u64>(<u64>a << by)) >> by != a:
        trap(site, b"bits fall out of 64")
    return <u64>(<u64>a << by)

cdef inline u64 checked_cut_word(u64 a, i64 by, int site) except? 10370458362816084113 nogil:
    return <u64>(<u64>a << checked_shift(by, site))

cdef inline u64 checked_shr_word(u64 a, i64 by, int site) except? 10370458362816084113 nogil:
    return a >> checked_shift(by, site)
