"""The integer subset of Python that rules are written in: read, checked, made plain.

What a function marked with `rule` may contain is checked here, so that what is
translated means the same in every language: integers, flat boards, `range` loops and
calls of other rules. Watching (`steps`) is left out.
"""

from __future__ import annotations

import ast
import copy
import inspect
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from rules_core.kernel import Table

DROPPED = {"Steps", "Engine", "Evaluate"}
NUMBERS = {"int", "bool", "Signed"}
BOARDS = {"Board", "Moves", "Memory"}
MEMORY_TABLES = {
    "boards": "Board",
    "moves": "Moves",
    "ranks": "Moves",
    "keys_after": "Moves",
}
"""What a memory keeps of each ply; the rest of it is lists of numbers."""

MEMORY_LISTS = {
    "keys": "Plies",
    "played": "Played",
    "history": "History",
}
DIVISIONS = {"floor_div", "floor_mod"}
STATEMENTS = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Break,
    ast.Continue,
    ast.Expr,
    ast.For,
    ast.If,
    ast.Pass,
    ast.Return,
    ast.While,
)
EXPRESSIONS = (
    ast.Attribute,
    ast.BinOp,
    ast.BoolOp,
    ast.Call,
    ast.Compare,
    ast.Constant,
    ast.IfExp,
    ast.Name,
    ast.Subscript,
    ast.Tuple,
    ast.UnaryOp,
)
OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod),
    *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift),
    *(ast.And, ast.Or, ast.Not, ast.USub),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)


class OutsideSubset(Exception):
    """A rule uses what cannot be translated; says where."""

    def __init__(self, path: str, line: int, what: str) -> None:
        """Keep file and line, so that an editor can go there."""
        super().__init__(f"{path}:{line}: {what}")
        self.path = path
        self.line = line


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule function, and the module whose constants it sees."""

    tree: ast.FunctionDef
    module: ModuleType
    path: str
    words: bool  # whether it counts in unsigned words, or in signed numbers

    @property
    def returns(self) -> str:
        """The annotation of the result."""
        tree = self.tree.returns
        return "None" if tree is None else ast.unparse(tree)

    @property
    def kept(self) -> list[ast.arg]:
        """The parameters that are still there when nobody watches."""
        return [arg for arg in self.tree.args.args if kind_of(arg) not in DROPPED]

    def refuse(self, node: ast.AST, what: str) -> OutsideSubset:
        """Return the error for a node of this rule."""
        return OutsideSubset(self.path, getattr(node, "lineno", 0), what)


def kind_of(arg: ast.arg) -> str:
    """Return the annotation of a parameter."""
    return ast.unparse(arg.annotation) if arg.annotation is not None else ""


def rules_of(module: ModuleType, words: bool) -> dict[str, Rule]:
    """Return the functions of a module that are marked as rules."""
    path = str(module.__file__)
    return {
        node.name: Rule(node, module, path, words)
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(mark) == "rule" for mark in node.decorator_list)
    }


def constant(tree: ast.expr) -> int | None:
    """Return the number that an expression always is, or None."""
    match tree:
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = constant(operand)
            return None if number is None else -number
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            one, other = constant(left), constant(right)
            if one is None or other is None:
                return None
            return one + other if isinstance(op, ast.Add) else one - other
    return None


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table: numbers that never change, the least and the most of them."""

    cells: Sequence[int]
    least: int
    most: int


@cache
def table_of(name: str, module: ModuleType) -> Numbers | None:
    """Return the numbers that never change which a name of a module means, or None."""
    value = getattr(module, name, None)
    cells = value.cells if isinstance(value, Table) else value
    if not isinstance(cells, (tuple, array)) or not cells:
        return None
    if not all(type(number) is int for number in cells):
        return None
    return Numbers(cells, min(cells), max(cells))


def size_of(cells: str, module: ModuleType) -> int | None:
    """Return how many cells a board or a list has in a game file; elsewhere None."""
    if cells == "Board":
        return getattr(module, "WORK", getattr(module, "SIZE", None))
    return getattr(module, "MAX_MOVES", None) if cells == "Moves" else None


class Lowering(ast.NodeTransformer):
    """Checks one rule, and leaves of it what every language has.

    Constants stand as numbers, true and false as 1 and 0; divisions are calls of
    `floor_div` and `floor_mod`; nobody watches.
    """

    natives: frozenset[str]
    """Functions that the language brings itself, instead of rules of these names."""

    def __init__(self, rule: Rule, find: Callable[[str], Rule | None]) -> None:
        """Take a rule, and what finds those that it may call."""
        self.rule = rule
        self.find = find
        self.called: list[str] = []
        self.tables: dict[str, Numbers] = {}
        self.line = rule.tree.lineno
        self.locals: dict[str, str] = {}
        self.declared: set[str] = set()  # names whose kind was written, not found
        self.parameters = {arg.arg: kind_of(arg) for arg in rule.tree.args.args}

    def body(self) -> list[ast.stmt]:
        """Return what the rule does; then `called` and `locals` are known.

        :raises OutsideSubset: naming file and line.
        """
        for arg in self.rule.kept:
            if kind_of(arg) not in NUMBERS | BOARDS:
                what = f"{arg.arg} must be int, bool, Signed or a board"
                raise self.rule.refuse(arg, what)
        if self.rule.returns not in NUMBERS | {"None"}:
            what = f"{self.rule.tree.name} must return int, bool, Signed or None"
            raise self.rule.refuse(self.rule.tree, what)
        tree = copy.deepcopy(self.rule.tree)
        return self._block(tree.body[1:] if ast.get_docstring(tree) else tree.body)

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        lowered: list[ast.stmt] = []
        for node in body:
            if not isinstance(node, STATEMENTS):
                raise self.rule.refuse(node, f"{type(node).__name__} is not allowed")
            result = self.visit(node)
            if result is not None:
                ast.copy_location(result, node)  # what is found later says where, too
                lowered.append(ast.fix_missing_locations(result))
        return lowered or [ast.Pass()]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Refuse what is not in the subset; operators have no line of their own."""
        self.line = getattr(node, "lineno", self.line)
        if isinstance(node, ast.expr) and not isinstance(node, EXPRESSIONS):
            raise self.rule.refuse(node, f"{type(node).__name__} is not allowed")
        operators = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
        if isinstance(node, operators) and not isinstance(node, OPERATORS):
            what = f"{type(node).__name__} is not allowed"
            raise OutsideSubset(self.rule.path, self.line, what)
        return super().generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:  # ast's names
        """Leave out what is for who watches."""
        if self._watches(node.test):
            if node.orelse or ast.unparse(node.test) != "steps is not None":
                raise self.rule.refuse(node, "`if steps is not None` stands alone")
            return None
        test = self.visit(node.test)
        orelse = self._block(node.orelse) if node.orelse else []
        return ast.If(test, self._block(node.body), orelse)

    def visit_For(self, node: ast.For) -> ast.AST:
        """Loops run over a range."""
        call = node.iter
        is_range = isinstance(call, ast.Call) and ast.unparse(call.func) == "range"
        if not is_range or not isinstance(node.target, ast.Name) or node.orelse:
            raise self.rule.refuse(node, "loops run over a range")
        assert isinstance(call, ast.Call)  # noqa: S101  # for the type checker
        self._declare(node.target)
        bounds = [self.visit(argument) for argument in call.args]
        call = ast.Call(ast.Name("range", ast.Load()), bounds, [])
        return ast.For(node.target, call, self._block(node.body), [])

    def visit_While(self, node: ast.While) -> ast.AST:
        """Loops have no else."""
        if node.orelse:
            raise self.rule.refuse(node, "a loop has no else")
        return ast.While(self.visit(node.test), self._block(node.body), [])

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Numbers go into names or cells, several at once perhaps."""
        if len(node.targets) != 1:
            raise self.rule.refuse(node, "one target for one value")
        target = node.targets[0]
        for part in target.elts if isinstance(target, ast.Tuple) else [target]:
            self._declare(part)
        return ast.Assign([self.visit(target)], self.visit(node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Take an annotated name for a board, a list of moves, or a number."""
        kind = ast.unparse(node.annotation)
        if kind not in NUMBERS | BOARDS or node.value is None:
            what = "only boards, moves and numbers are annotated, with a value"
            raise self.rule.refuse(node, what)
        self._declare(node.target, kind)
        self.declared.add(ast.unparse(node.target))
        return ast.Assign([node.target], self.visit(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """As `a = a + b`, if it divides."""
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            raise self.rule.refuse(node, "write a division out")
        self.generic_visit(node)
        return node

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        """Several values at once, in an assignment."""
        return ast.Tuple([self.visit(part) for part in node.elts], node.ctx)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Divide as Python does, also below zero."""
        self.generic_visit(node)
        names = {ast.FloorDiv: "floor_div", ast.Mod: "floor_mod"}
        name = names.get(type(node.op))
        if name is None:
            return node
        return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Write the cells of a game as constants; a memory is a struct."""
        kind = self.parameters.get(ast.unparse(node.value))
        if kind == "Engine":
            return ast.Name(node.attr.upper(), ast.Load())
        if kind != "Memory":
            raise self.rule.refuse(node, f".{node.attr} is not allowed")
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Only what has cells has indices, and none counts from the end."""
        table = self.table(node.value)
        if table is not None:
            return self._look_up(node, table)
        cells = self.cells_of(node.value)
        if cells is None:
            raise self.rule.refuse(node, f"{ast.unparse(node.value)} has no cells")
        self.generic_visit(node)
        index, size = constant(node.slice), size_of(cells, self.rule.module)
        if index is not None and (index < 0 or (size is not None and index >= size)):
            span = "from 0" if size is None else f"from 0 to {size - 1}"
            what = f"there is no cell {index} of a {cells}: cells are counted {span}"
            raise self.rule.refuse(node, what)
        return node

    def table(self, node: ast.expr) -> Numbers | None:
        """Return the numbers that never change which an expression means, or None."""
        if not isinstance(node, ast.Name) or node.id in self.locals | self.parameters:
            return None
        return table_of(node.id, self.rule.module)

    def _look_up(self, node: ast.Subscript, table: Numbers) -> ast.AST:
        name, index = ast.unparse(node.value), constant(node.slice)
        if not isinstance(node.ctx, ast.Load):
            raise self.rule.refuse(node, f"{name} never changes")
        size = len(table.cells)
        if index is not None and not 0 <= index < size:
            what = f"there is no number {index} in {name}: it has {size}, from 0 on"
            raise self.rule.refuse(node, what)
        self.tables[name] = table
        return ast.Subscript(node.value, self.visit(node.slice), node.ctx)

    def cells_of(self, node: ast.expr) -> str | None:
        """Return what has the cells that an expression means, or None: it has none."""
        match node:
            case ast.Name(id=name):
                kind = self.parameters.get(name) or self.locals.get(name)
                return kind if kind in {"Board", "Moves"} else None
            case ast.Attribute(attr="boards"):
                return "Rows"
            case ast.Attribute(attr=name) if name in MEMORY_TABLES:
                return "Plies"
            case ast.Attribute(attr=name):
                return MEMORY_LISTS.get(name)
            case ast.Subscript(value=ast.Attribute(attr=name)):
                return MEMORY_TABLES.get(name)
        return None

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Rules call rules, by their names and without what was dropped."""
        name = ast.unparse(node.func)
        owner, _, method = name.partition(".")
        if self.parameters.get(owner) == "Engine":
            name = method
        elif self.parameters.get(name) == "Evaluate":
            name = "evaluate"
        if node.keywords or not name.isidentifier() or name in DIVISIONS:
            raise self.rule.refuse(node, f"{name} cannot be called here")
        arguments = node.args
        rule = None if name in self.natives else self.find(name)
        if rule is not None:
            self.called.append(name)
            parameters = rule.tree.args.args
            if len(parameters) != len(arguments):
                raise self.rule.refuse(node, f"{name} has {len(parameters)} arguments")
            arguments = [
                argument
                for argument, parameter in zip(arguments, parameters, strict=True)
                if kind_of(parameter) not in DROPPED
            ]
        elif name not in self.natives and name != "evaluate":
            raise self.rule.refuse(node, f"{name} is not a rule")
        visited = [self.visit(argument) for argument in arguments]
        return ast.Call(ast.Name(name, ast.Load()), visited, [])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Constants are written as what they are."""
        if node.id in self.locals or node.id in self.parameters:
            return node
        value = getattr(self.rule.module, node.id, None)
        if type(value) is not int:
            raise self.rule.refuse(node, f"{node.id} is not a number")
        return self.literal(value)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Whole numbers, true and false."""
        if not isinstance(node.value, int):  # a bool is one, too
            raise self.rule.refuse(node, f"{node.value!r} is not a number")
        return self.literal(int(node.value))

    def literal(self, value: int) -> ast.expr:
        """Return a number as an expression."""
        return ast.Constant(value)

    def _declare(self, target: ast.expr, kind: str = "int") -> None:
        if isinstance(target, ast.Name) and target.id not in self.parameters:
            self.locals.setdefault(target.id, kind)

    def _watches(self, test: ast.expr) -> bool:
        names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
        return any(self.parameters.get(name) == "Steps" for name in names)
