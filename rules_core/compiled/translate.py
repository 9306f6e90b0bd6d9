"""Translate rules from the integer subset of Python to Cython."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from rules_core.subset import Lowering, Rule, kind_of

POINTERS = {"Board": "cell *", "Moves": "i64 *", "Memory": "Memory *"}


def translate(rules: Iterable[Rule], roots: Iterable[str]) -> str:
    """Return the Cython functions that the roots need, in a flat namespace.

    :raises OutsideSubset: naming file and line.
    """
    known: dict[str, Rule] = {}
    for rule in rules:
        if rule.tree.name in known:
            raise rule.refuse(rule.tree, f"there are two rules {rule.tree.name}")
        known[rule.tree.name] = rule
    wanted, written = list(roots), dict[str, str]()
    while wanted:
        name = wanted.pop()
        if name not in written:
            written[name], called = Translator(known[name], known.get).function()
            wanted += called
    return "\n\n".join(written[name] for name in sorted(written))


class Translator(Lowering):
    """Turns one rule into a C function, in Cython's words."""

    natives = frozenset(
        {
            # kernel and memory functions for which the template has C
            "popcount",
            "lowest",
            "bit",
            "fingerprint",
            "find_entry",
            "put_entry",
            "out_of_budget",
        }
    )

    def function(self) -> tuple[str, list[str]]:
        """Return the text, and the names of the rules that it calls."""
        lines = [ast.unparse(node) for node in self.body()]
        name = self.rule.tree.name
        head = f"cdef {self._result()} {name}({self._signature()}) noexcept nogil:"
        declared = [f"cdef {self._type(k)}{n}" for n, k in self.locals.items()]
        text = "\n".join([*declared, *lines]).splitlines()
        return "\n".join([head, *("    " + line for line in text)]), self.called

    def literal(self, value: int) -> ast.expr:
        """Return a number wide enough for C."""
        if value < 1 << 31:
            return super().literal(value)
        return ast.Name(f"{value}ULL", ast.Load())

    def _type(self, kind: str) -> str:
        return POINTERS.get(kind, f"{self._number} ")

    @property
    def _number(self) -> str:
        return "u64" if self.rule.words else "i64"

    def _result(self) -> str:
        returns = self.rule.tree.returns
        if returns is None or ast.unparse(returns) == "None":
            return "void"
        # a score or a value may be negative, whatever it is counted with
        signed = self.rule.tree.name.endswith(("score", "_value"))
        return "i64" if signed else self._number

    def _signature(self) -> str:
        return ", ".join(f"{self._type(kind_of(a))}{a.arg}" for a in self.rule.kept)
