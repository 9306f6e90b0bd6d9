"""The checked build: rules that say what C cannot keep, instead of going on wrongly.

The same rules, translated with one switch more: every index, every number on its way
into a cell and every sum goes through a check. The first that fails raises `Trapped`
with file and line of the rule. For tests: it is several times as slow.
"""

from __future__ import annotations

import ast

from rules_core.translation.c.signs import SIGNED, WORD, Sign, Signs
from rules_core.translation.subset import BOARDS, Lowering, constant

RAISES = "except? -8076285710893467503"
"""How Cython tells an error from a result: no rule comes by this number by itself."""

RAISES_WORD = "except? 10370458362816084113"

SIZES = {
    "Board": "WORK",
    "Moves": "MAX_MOVES",
    "Plies": "PLIES",
    "Rows": "ROWS",
    "Played": "PLAYED",
    "History": "2 * MOVE_IDS",
}
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.LShift: "shl",
    ast.RShift: "shr",
}


class Trapped(Exception):
    """A rule did what C cannot keep; names file and line of the rule."""


class Checks(ast.NodeTransformer):
    """Writes the checks into one rule that was made plain."""

    def __init__(self, lowering: Lowering, signs: Signs, sites: list[str]) -> None:
        """Take a rule, its signs, and the list of places that it adds to."""
        self._lowering = lowering
        self._signs = signs
        self._sites = sites
        self.places: list[str] = []
        """Names of ours, for indices that are used twice."""

    def written(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the body with its checks."""
        checked: list[ast.stmt] = []
        for node in body:
            result = self.visit(node)
            checked += result if isinstance(result, list) else [result]
        return [ast.fix_missing_locations(node) for node in checked]

    # -- statements

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Let nothing into a cell that does not fit."""
        [target] = node.targets
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = zip(target.elts, node.value.elts, strict=True)
            values = [self._fitting(one, other) for one, other in pairs]
            value: ast.expr = ast.Tuple(values, ast.Load())
        else:
            value = self._fitting(target, node.value)
        return ast.copy_location(ast.Assign([self.visit(target)], value), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """Find the place once, then add to what is there."""
        target = node.target
        sum_ = ast.copy_location(ast.BinOp(target, node.op, node.value), node)
        if isinstance(target, ast.Subscript) and constant(target.slice) is None:
            sign = self._signs.of(sum_)
            place = ast.Name(self._own_place(), ast.Load())
            index = self._index(target, self._visited(target.slice))
            cells = self._visited(target.value)
            there = ast.Subscript(cells, place, ast.Load())
            value = self._sum(sum_, sign, there, self._visited(node.value))
            value = self._fit(target, value, sign)
            return [ast.Assign([place], index), ast.Assign([there], value)]
        return [ast.Assign([self.visit(target)], self._fitting(target, sum_))]

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """Return, of a rule without a result, that there was no error."""
        if node.value is None:
            return ast.Return(ast.Constant(0))
        return self.generic_visit(node)

    # -- expressions

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """No index is outside."""
        index = self._index(node, self._visited(node.slice))
        return ast.Subscript(self._visited(node.value), index, node.ctx)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """No sum leaves the 64 bits; what is masked at once may."""
        sign = self._signs.of(node)
        if isinstance(node.op, ast.BitAnd) and sign is WORD:
            sides = [self._cut(side) for side in (node.left, node.right)]
            return ast.BinOp(sides[0], node.op, sides[1])
        left, right = self._visited(node.left), self._visited(node.right)
        return self._sum(node, sign, left, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Turn a sign by a checked difference: the least number has no opposite."""
        operand = self._visited(node.operand)
        if isinstance(node.op, ast.USub) and constant(operand) is None:
            return self._call("checked_sub", node, ast.Constant(0), operand)
        return ast.UnaryOp(node.op, operand)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Natives take what C defines for them."""
        name, args = ast.unparse(node.func), node.args
        signed = [arg for arg in args if self._is_signed(arg)]
        node.args = [self._visited(arg) for arg in args]
        if name in {"popcount", "lowest", "highest"}:
            if signed:
                node.args = [self._call("checked_bits", node, *node.args)]
            if name != "popcount":
                node.args = [self._call("checked_any", node, *node.args)]
        elif name == "bit":
            size = ast.Constant(64)
            node.args = [self._call("checked_index", node, *node.args, size)]
        elif name in {"floor_div", "floor_mod", "word_div", "word_mod"}:
            node.args[1] = self._call("checked_divisor", node, node.args[1])
        return node

    # -- private

    def _fitting(self, target: ast.expr, value: ast.expr) -> ast.expr:
        """Return a value, checked, as it goes into a name or a cell."""
        if self._lowering.cells_of(value) in BOARDS:
            return self._visited(value)  # no number: a board
        if isinstance(value, ast.Subscript):
            cells = self._lowering.cells_of(value.value)
            if cells == "Board":
                return self._visited(value)  # what is in a cell fits into one
        sign = self._signs.of(value)
        return self._fit(target, self._visited(value), sign)

    def _fit(self, target: ast.expr, value: ast.expr, sign: Sign) -> ast.expr:
        if not isinstance(target, ast.Subscript):
            return value
        cells = self._lowering.cells_of(target.value)
        if cells == "Board" and sign is not WORD:
            return self._call("checked_cell", target, value)
        if cells != "Board" and sign is WORD:
            return self._call("checked_number", target, value)
        return value

    def _sum(
        self, node: ast.BinOp, sign: Sign, left: ast.expr, right: ast.expr
    ) -> ast.expr:
        name = ARITHMETIC.get(type(node.op))
        if name is None:
            return ast.BinOp(left, node.op, right)
        word = "_word" if sign is WORD else ""
        return self._call(f"checked_{name}{word}", node, left, right)

    def _cut(self, side: ast.expr) -> ast.expr:
        if isinstance(side, ast.BinOp) and isinstance(side.op, ast.LShift):
            left, right = self._visited(side.left), self._visited(side.right)
            return self._call("checked_cut_word", side, left, right)
        return self._visited(side)

    def _index(self, node: ast.Subscript, index: ast.expr) -> ast.expr:
        table = self._lowering.table(node.value)
        if table is not None:
            size: ast.expr = ast.Constant(len(table.cells))
            return self._call("checked_index", node, index, size)
        cells = self._lowering.cells_of(node.value) or "Board"
        size = ast.Name(SIZES[cells], ast.Load())
        return self._call("checked_index", node, index, size)

    def _call(self, name: str, node: ast.AST, *args: ast.expr) -> ast.expr:
        line = getattr(node, "lineno", 0)
        self._sites.append(f"{self._lowering.rule.path}:{line}")
        site = ast.Constant(len(self._sites) - 1)
        return ast.Call(ast.Name(name, ast.Load()), [*args, site], [])

    def _is_signed(self, node: ast.expr) -> bool:
        if self._lowering.cells_of(node) in BOARDS or isinstance(node, ast.Name):
            kinds = self._lowering.parameters | self._lowering.locals
            if kinds.get(ast.unparse(node), "Board") in BOARDS:
                return False
        return self._signs.of(node) is SIGNED

    def _visited(self, node: ast.expr) -> ast.expr:
        checked = self.visit(node)
        assert isinstance(checked, ast.expr)  # noqa: S101  # for the type checker
        return checked

    def _own_place(self) -> str:
        self.places.append(f"checked_place_{len(self.places) + 1}")
        return self.places[-1]
