"""Which numbers of a rule may be below zero, in a game of 64-bit words.

There an `int` is a word, which C never takes below zero, and `Signed` a number that may
be. What is small fits both: constants, truths, counts of bits. Where a word meets a
signed number C would answer otherwise than Python, so that it is refused. In a game of
small counts every number is signed.
"""

from __future__ import annotations

import ast
import itertools
from enum import Enum

from rules_core.translation.subset import (
    BOARDS,
    DIVISIONS,
    Lowering,
    OutsideSubset,
    constant,
)


class Sign(Enum):
    """What a number may be."""

    SMALL = "a small number"
    WORD = "a word"
    SIGNED = "a signed number"


SMALL, WORD, SIGNED = Sign.SMALL, Sign.WORD, Sign.SIGNED
KINDS = {"int": WORD, "Signed": SIGNED, "bool": SMALL}
NATIVES = {
    "popcount": SMALL,
    "lowest": SMALL,
    "highest": SMALL,
    "bit": WORD,
    "gather": SMALL,
    "find_end": SIGNED,
    "out_of_budget": SMALL,
}
WORD_DIVISIONS = {"floor_div": "word_div", "floor_mod": "word_mod"}


class Signs:
    """The signs of one rule, made plain: of its names, its result and its expressions.

    :raises OutsideSubset: naming file and line, where Python and C would differ.
    """

    def __init__(self, lowering: Lowering, body: list[ast.stmt]) -> None:
        """Find the signs of all names, then look at everything once more."""
        self._lowering = lowering
        self._rule = lowering.rule
        self._strict = False
        kinds = lowering.parameters | {
            name: lowering.locals[name] for name in lowering.declared
        }
        self._fixed = {name: self.of_kind(kind) for name, kind in kinds.items()}
        self.names = dict.fromkeys(lowering.locals, SMALL) | self._fixed
        # each round settles one more name at least, or nothing
        for _ in range(len(self.names) + 1):
            self._found: dict[str, Sign] = {}
            self._look_at(body)
            names = self.names | self._found
            if names == self.names:
                break
            self.names = names
        self._strict = True
        self._look_at(body)

    def of_kind(self, kind: str) -> Sign:
        """Return what an annotated number may be."""
        return KINDS.get(kind, SIGNED) if self._rule.words else SIGNED

    def of(self, node: ast.expr) -> Sign:
        """Return what the value of an expression may be.

        :raises OutsideSubset: it is no number, or mixes words and signed numbers.
        """
        number = constant(node)
        if number is not None:
            sign = SIGNED if number < 0 else WORD if number >> 63 else SMALL
            return sign if self._rule.words else SIGNED
        sign = self._of(node)
        return sign if self._rule.words else SIGNED

    def _of(self, node: ast.expr) -> Sign:
        match node:
            case ast.Name(id=name):
                kinds = self._lowering.parameters | self._lowering.locals
                if kinds.get(name) in BOARDS:
                    raise self._rule.refuse(node, f"{name} is not a number")
                return self.names.get(name, WORD)  # a literal too large for an int
            case ast.Subscript(slice=index):
                self.of(index)
                table = self._lowering.table(node.value)
                if table is not None:
                    wide = WORD if table.most >> 63 else SMALL
                    return SIGNED if table.least < 0 else wide
                return WORD if self._lowering.cells_of(node.value) == "Board" else SMALL
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._of_call(node, name, args)
            case ast.BinOp(left=left, op=op, right=right):
                return self._of_operation(node, self.of(left), op, self.of(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                if self.of(operand) is WORD:
                    raise self._refuse(node, "a word is never below zero")
                return SIGNED
            case ast.UnaryOp(operand=operand):
                self.of(operand)
                return SMALL
            case ast.BoolOp(values=values):
                return self._together(node, *map(self.of, values))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.of(test)
                return self._together(node, self.of(body), self.of(orelse))
            case ast.Compare(left=left, comparators=others):
                signs = [self.of(part) for part in (left, *others)]
                for one, other in itertools.pairwise(signs):
                    self._together(node, one, other)
                return SMALL
            case ast.Attribute():
                return SIGNED  # what a memory counts
        raise self._rule.refuse(node, f"{ast.unparse(node)} is not a number")

    def _of_operation(
        self, node: ast.expr, left: Sign, op: ast.operator, right: Sign
    ) -> Sign:
        if isinstance(op, (ast.LShift, ast.RShift)):
            if right is SIGNED:
                self._together(node, WORD, right)
            # the bits of a board begin as `1 << square`
            return WORD if left is SMALL and isinstance(op, ast.LShift) else left
        if isinstance(op, ast.Sub) and left is right is SMALL:
            return SIGNED
        return self._together(node, left, right)

    def _of_call(self, node: ast.expr, name: str, args: list[ast.expr]) -> Sign:
        rule = self._lowering.find(name)
        if name in self._lowering.natives or rule is None:
            signs = [self.of(a) for a in args if self._board_of(a) is None]
            if name in DIVISIONS | {*WORD_DIVISIONS.values()}:
                return self._together(node, *signs)
            if name in NATIVES:
                self._together(node, WORD, *signs)
            return NATIVES.get(name, SIGNED)
        for argument, parameter in zip(args, rule.kept, strict=True):
            kind = ast.unparse(parameter.annotation or ast.Name("int"))
            own = self._board_of(argument)
            if kind in BOARDS and own != kind:
                what = f"{ast.unparse(argument)} is not a {kind}"
                raise self._rule.refuse(node, what)
            if kind not in BOARDS:
                self._into(node, self.of_kind(kind), argument, f"{name}'s argument")
        return self.of_kind(rule.returns)

    def _board_of(self, node: ast.expr) -> str | None:
        """Return which kind of board is handed on, or None: a number is."""
        if isinstance(node, ast.Name):
            kinds = self._lowering.parameters | self._lowering.locals
            kind = kinds.get(node.id)
            return kind if kind in BOARDS else None
        cells = self._lowering.cells_of(node)
        return cells if cells in BOARDS else None

    # -- what goes where

    def _look_at(self, body: list[ast.stmt]) -> None:
        for node in body:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(node, target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                wide = ast.BinOp(target, op, value)
                self._assign(node, target, ast.copy_location(wide, node))
            case ast.For(target=target, iter=ast.Call(args=args), body=body):
                sign = self._together(node, *map(self.of, args))
                self._put(node, target, sign)
                self._look_at(body)
            case ast.If(test=test, body=body, orelse=orelse):
                self.of(test)
                self._look_at([*body, *orelse])
            case ast.While(test=test, body=body):
                self.of(test)
                self._look_at(body)
            case ast.Return(value=ast.expr() as value):
                wanted = self.of_kind(self._rule.returns)
                self._into(node, wanted, value, f"the result of {self._rule.tree.name}")
            case ast.Expr(value=value):
                self.of(value)

    def _assign(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._assign(node, one, other)
        elif isinstance(target, ast.Name) and self._board_of(target):
            if self._board_of(value) != self._board_of(target):
                what = f"{ast.unparse(value)} is not a {self._board_of(target)}"
                raise self._rule.refuse(node, what)
        else:
            self._put(node, target, self.of(value))

    def _put(self, node: ast.AST, target: ast.expr, sign: Sign) -> None:
        if isinstance(target, ast.Name) and target.id not in self._fixed:
            known = self._found.get(target.id, SMALL)
            self._found[target.id] = self._together(node, known, sign)
        elif self._rule.words and not isinstance(target, ast.Attribute):
            wanted = self.of(target)
            if {wanted, sign} == {WORD, SIGNED}:
                self._together(node, wanted, sign)

    def _into(self, node: ast.AST, wanted: Sign, value: ast.expr, what: str) -> None:
        sign = self.of(value)
        if self._strict and self._rule.words and {wanted, sign} == {WORD, SIGNED}:
            raise self._refuse(node, f"{what} is {wanted.value}, this is {sign.value}")

    def _together(self, node: ast.AST, *signs: Sign) -> Sign:
        """Return what holds them all; a word and a signed number nothing does."""
        kinds = set(signs) - {SMALL}
        if len(kinds) > 1 and self._strict and self._rule.words:
            raise self._refuse(node, "a word meets a number that may be below zero")
        return SMALL if not kinds else SIGNED if SIGNED in kinds else WORD

    def _refuse(self, node: ast.AST, what: str) -> OutsideSubset:
        return self._rule.refuse(node, f"{what}; declare what is meant, int or Signed")
