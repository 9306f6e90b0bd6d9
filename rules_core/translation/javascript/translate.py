"""Translate rules from the integer subset of Python to JavaScript.

A rule finds other rules where Python finds them, by the names of its module. Its
numbers are numbers of JavaScript, exact up to 2**53; where the rules of a game work on
bits they are BigInts, which have no limit, as integers of Python have none.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterable
from types import ModuleType

from rules_core import kernel
from rules_core.translation.javascript.writer import Writer
from rules_core.translation.subset import Lowering, OutsideSubset, Rule, rules_of

NATIVES = frozenset({"popcount", "lowest", "bit"})
BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)


class Lowered(Lowering):
    """A rule of which that is left which JavaScript has, too."""

    natives = NATIVES

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802  # ast's name
        """Natives are those of the kernel, and no namesakes."""
        name = ast.unparse(node.func)
        if name in NATIVES:
            meant = getattr(self.rule.module, name, None)
            if meant is not getattr(kernel, name):
                raise self.rule.refuse(node, f"{name} is not that of the kernel")
        return super().visit_Call(node)


def translate(
    module: ModuleType, roots: Iterable[str], *, words: bool
) -> tuple[str, bool]:
    """Return the functions that the roots need, and whether they count in BigInts.

    :raises OutsideSubset: naming file and line.
    :raises OSError: the source of a module is not to be had.
    """
    sources = _Sources()
    lowered: dict[str, tuple[Lowered, list[ast.stmt]]] = {}
    wanted = [(module, name) for name in roots]
    while wanted:
        here, name = wanted.pop()
        rule = sources.find(here, name)
        if rule is None:
            raise OutsideSubset(str(here.__file__), 0, f"{name} is not a rule")
        if name not in lowered:
            lowering = sources.lower(rule)
            lowered[name] = lowering, lowering.body()
            wanted += [(rule.module, called) for called in lowering.called]
        elif lowered[name][0].rule is not rule:
            raise rule.refuse(rule.tree, f"there are two rules {name}")
    bodies = [body for _, body in lowered.values()]
    wide = words or any(_works_on_bits(node) for body in bodies for node in body)
    written = [Writer(*lowered[name], wide).function() for name in sorted(lowered)]
    return "\n".join(written), wide


def _works_on_bits(tree: ast.AST) -> bool:
    return any(
        isinstance(node, BITS) or (isinstance(node, ast.Name) and node.id in NATIVES)
        for node in ast.walk(tree)
    )


class _Sources:
    """The rules of all modules that were looked into."""

    def __init__(self) -> None:
        self._rules: dict[str, dict[str, Rule]] = {}

    def find(self, module: ModuleType, name: str) -> Rule | None:
        """Return the rule that a name means in a module, wherever it is defined."""
        meant = getattr(module, name, None)
        if not inspect.isfunction(meant) or meant.__name__ != name:
            return None
        home = meant.__module__
        if home not in self._rules:
            self._rules[home] = rules_of(sys.modules[home], words=False)
        return self._rules[home].get(name)

    def lower(self, rule: Rule) -> Lowered:
        """Return what makes a rule plain, and finds the rules that it calls."""
        return Lowered(rule, lambda name: self.find(rule.module, name))
