"""Tables of numbers as arrays of C, in a header that Cython need not read."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from rules_core.translation.subset import Numbers

LINE = 1000
SPELLED = [f"\\{byte:03o}" for byte in range(256)]
"""Each byte, as a text of C has it."""


def header_of(tables: Mapping[str, Numbers]) -> str:
    """Return a header that has the tables.

    The bytes of each stand as one text: a million numbers take a compiler long.
    """
    lines = []
    for name, table in tables.items():
        kind, code = kind_of_cells(table)
        data, count = array(code, table.cells).tobytes(), len(table.cells)
        lines.append(f"static const union {{ char bytes[{len(data) + 1}];")
        lines.append(f"{kind} cells[{count}]; }} {name}_bytes = {{")
        for at in range(0, len(data), LINE):
            spelled = "".join(SPELLED[byte] for byte in data[at : at + LINE])
            lines.append(f'"{spelled}"')
        lines += ["};", f"#define {name} ({name}_bytes.cells)", ""]
    return "\n".join(lines)


def declare(tables: Mapping[str, Numbers], header: str) -> str:
    """Return what Cython is told of the tables of a header."""
    told = [f'cdef extern from "{header}":'] if tables else []
    for name, table in tables.items():
        told.append(f"    const {kind_of_cells(table)[0]} {name}[{len(table.cells)}]")
    return "\n".join([*told, ""])


def kind_of_cells(table: Numbers) -> tuple[str, str]:
    """Return the type of C that has room for the numbers of a table, and its code."""
    if table.least >= -(1 << 15) and table.most < 1 << 15:
        return "short", "h"
    return ("unsigned long long", "Q") if table.most >> 63 else ("long long", "q")
