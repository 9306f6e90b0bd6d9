"""Translate rules from the integer subset of Python to Cython."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from rules_core.translation.c.checked import RAISES, RAISES_WORD, Checks
from rules_core.translation.c.signs import WORD, WORD_DIVISIONS, Signs
from rules_core.translation.subset import Lowering, Numbers, Rule, kind_of

POINTERS = {"Board": "cell *", "Moves": "i64 *", "Memory": "Memory *"}


def translate(
    rules: Iterable[Rule], roots: Iterable[str], sites: list[str] | None = None
) -> tuple[str, dict[str, Numbers]]:
    """Return the Cython functions that the roots need, in a flat namespace.

    And the tables that they look into. With *sites* they are checked, and their places
    are added to that list.

    :raises OutsideSubset: naming file and line.
    """
    known: dict[str, Rule] = {}
    for rule in rules:
        if rule.tree.name in known:
            raise rule.refuse(rule.tree, f"there are two rules {rule.tree.name}")
        known[rule.tree.name] = rule
    wanted, written = list(roots), dict[str, str]()
    tables: dict[str, Numbers] = {}
    while wanted:
        name = wanted.pop()
        if name not in written:
            translator = Translator(known[name], known.get)
            written[name], called = translator.function(sites)
            wanted += called
            for table, numbers in translator.tables.items():
                if tables.setdefault(table, numbers).cells is not numbers.cells:
                    rule = known[name]
                    raise rule.refuse(rule.tree, f"there are two tables {table}")
    return "\n\n".join(written[name] for name in sorted(written)), tables


class Translator(Lowering):
    """Turns one rule into a C function, in Cython's words."""

    natives = frozenset(
        {
            # kernel and memory functions for which the template has C
            "popcount",
            "lowest",
            "highest",
            "bit",
            "gather",
            "find_end",
            "put_end",
            "fingerprint",
            "find_entry",
            "fetch_entry",
            "binomial",
            "ending_at",
            "put_ending",
            "link_at",
            "put_link",
            "put_entry",
            "is_late",
            "out_of_budget",
        }
    )

    def function(self, sites: list[str] | None = None) -> tuple[str, list[str]]:
        """Return the text, and the names of the rules that it calls.

        With *sites*, to which its places are added, it is checked as it runs.

        :raises OutsideSubset: naming file and line.
        """
        body = self.body()
        signs = Signs(self, body)
        self._divide_words(body, signs)
        places: list[str] = []
        if sites is not None:
            checks = Checks(self, signs, sites)
            body, places = checks.written(body), checks.places
        lines = [ast.unparse(node) for node in body]
        declared = [
            f"cdef {self._type(kind, signs, name)}{name}"
            for name, kind in self.locals.items()
        ]
        declared += [f"cdef i64 {name}" for name in places]
        head = self._head(signs, sites is not None)
        text = "\n".join([*declared, *lines]).splitlines()
        return "\n".join([head, *("    " + line for line in text)]), self.called

    def literal(self, value: int) -> ast.expr:
        """Return a number wide enough for C."""
        if value < 1 << 31:
            return super().literal(value)
        return ast.Name(f"{value}ULL", ast.Load())

    def _head(self, signs: Signs, checked: bool) -> str:
        name, returns = self.rule.tree.name, self.rule.returns
        given = (f"{self._type(kind_of(a), signs)}{a.arg}" for a in self.rule.kept)
        result, raises = self._type(returns, signs).strip(), RAISES
        if returns == "None":
            result, raises = ("int", "except -1") if checked else ("void", "")
        elif result == "u64":
            raises = RAISES_WORD
        ends = raises if checked else "noexcept"
        return f"cdef {result} {name}({', '.join(given)}) {ends} nogil:"

    def _type(self, kind: str, signs: Signs, name: str = "") -> str:
        """Return the C type of a kind, or of a name that has got none."""
        if kind in POINTERS:
            return POINTERS[kind]
        sign = signs.names[name] if name else signs.of_kind(kind)
        return "u64 " if sign is WORD else "i64 "

    def _divide_words(self, body: list[ast.stmt], signs: Signs) -> None:
        for node in (node for stmt in body for node in ast.walk(stmt)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = WORD_DIVISIONS.get(node.func.id)
                if name is not None and signs.of(node) is WORD:
                    node.func.id = name
