"""Writes one rule, made plain, as a function of JavaScript."""

from __future__ import annotations

import ast

from rules_core.translation.subset import DIVISIONS, Lowering, OutsideSubset

# What Python allows as a name, and JavaScript does not, or the text uses itself.
WORDS = """
    arguments await BigInt case catch const debugger default delete do enum eval export
    extends floor_div floor_mod function implements Infinity instanceof interface let
    NaN new null package private protected public static super switch this throw typeof
    undefined var void
"""
RESERVED = frozenset(WORDS.split())
BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "===",
    ast.NotEq: "!==",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


class Writer:
    """Writes the plain body of a rule; the order of evaluation is Python's."""

    def __init__(self, rule: Lowering, body: list[ast.stmt], wide: bool) -> None:
        """Take a rule, its body, and whether numbers are BigInts."""
        self._rule = rule
        self._body = body
        self._wide = wide
        self._own: list[str] = []  # names of ours; no name of Python has a dollar

    def function(self) -> str:
        """Return the text of the function.

        :raises OutsideSubset: naming file and line.
        """
        tree = self._rule.rule.tree
        lines = self._lines(self._body)
        names = ", ".join(_name(arg.arg) for arg in self._rule.rule.kept)
        declared = [*map(_name, self._rule.locals), *self._own]
        head = [f"let {', '.join(declared)};"] if declared else []
        inner = "\n".join(f"  {line}" for line in (*head, *lines))
        return f"function {_name(tree.name)}({names}) {{\n{inner}\n}}"

    # -- statements

    def _lines(self, body: list[ast.stmt]) -> list[str]:
        return [line for node in body for line in self._statement(node)]

    def _block(self, head: str, body: list[ast.stmt]) -> list[str]:
        return [f"{head} {{", *(f"  {line}" for line in self._lines(body)), "}"]

    def _statement(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Assign(targets=[target], value=value):
                return self._assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                head = f"{self._target(target)} {BINARY[type(op)]}= "
                return [f"{head}{_bare(self._value(value))};"]
            case ast.Expr(value=value):
                return [f"{self._value(value)};"]
            case ast.If(test=test, body=body, orelse=orelse):
                lines = self._block(f"if ({_bare(self._test(test))})", body)
                if len(orelse) == 1 and isinstance(orelse[0], ast.If):
                    first, *others = self._statement(orelse[0])
                    lines[-1:] = [f"}} else {first}", *others]
                elif orelse:
                    lines[-1:] = self._block("} else", orelse)
                return lines
            case ast.While(test=test, body=body):
                return self._block(f"while ({_bare(self._test(test))})", body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=args), body=body):
                return self._loop(_name(name), args, body)
            case ast.Return(value=None):
                return ["return;"]
            case ast.Return(value=ast.expr() as value):
                return [f"return {_bare(self._value(value))};"]
            case ast.Break():
                return ["break;"]
            case ast.Continue():
                return ["continue;"]
            case ast.Pass():
                return []
        raise self._refuse(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> list[str]:
        is_place = isinstance(target, ast.Subscript) and not _is_simple(target.slice)
        if is_place and (_calls(target) or _calls(value)):
            # Python works out the value first, and then the place
            own = self._own_name()
            place = self._target(target)
            return [f"{own} = {self._value(value)};", f"{place} = {own};"]
        return [f"{self._target(target)} = {_bare(self._value(value))};"]

    def _loop(self, name: str, args: list[ast.expr], body: list[ast.stmt]) -> list[str]:
        """Run over a range, whose bounds are looked at once."""
        one, zero = self._number(1), self._number(0)
        bounds = [self._value(arg) for arg in args]
        first, end, step = (
            (zero, bounds[0], one) if len(bounds) == 1 else (*bounds, one)[:3]
        )
        at, stop = self._own_name(), self._own_name()
        setup, going = f"{at} = {first}, {stop} = {end}", f"{at} < {stop}"
        if len(args) == 3:
            by = self._own_name()
            setup += f", {by} = {step}"
            going = f"{by} > {zero} ? {at} < {stop} : {at} > {stop}"
            step = by
        lines = self._block(f"for ({setup}; {going}; {at} += {step})", body)
        return [lines[0], f"  {name} = {at};", *lines[1:]]

    # -- expressions

    def _target(self, node: ast.expr) -> str:
        if isinstance(node, ast.Tuple):
            return f"[{', '.join(self._target(part) for part in node.elts)}]"
        if isinstance(node, (ast.Name, ast.Subscript)):
            return self._value(node)
        raise self._refuse(node)

    def _value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=int() as value):
                return self._number(value)
            case ast.Name(id=name):
                return _name(name)
            case ast.Subscript(value=ast.Name(id=name), slice=place):
                is_number = isinstance(place, ast.Constant)
                index = ast.unparse(place) if is_number else self._value(place)
                return f"{_name(name)}[{_bare(index)}]"
            case ast.Call(func=ast.Name(id=name), args=args):
                given = ", ".join(_bare(self._value(argument)) for argument in args)
                return f"{name if name in DIVISIONS else _name(name)}({given})"
            case ast.BinOp(left=left, op=op, right=right):
                one, other = self._value(left), self._value(right)
                return f"({one} {BINARY[type(op)]} {other})"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(-{self._value(operand)})"
            case ast.BoolOp(op=op, values=values):
                word = " && " if isinstance(op, ast.And) else " || "
                return f"({word.join(self._value(value) for value in values)})"
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return f"{'BigInt' if self._wide else '+'}({self._test(node)})"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                cases = f"{self._value(body)} : {self._value(orelse)}"
                return f"({self._test(test)} ? {cases})"
            case ast.Tuple(elts=parts):
                return f"[{', '.join(self._value(part) for part in parts)}]"
        raise self._refuse(node)

    def _test(self, node: ast.expr) -> str:
        """Return what is true or false in JavaScript where the value is in Python."""
        match node:
            case ast.Compare():
                return self._comparison(node)
            case ast.BoolOp(op=op, values=values):
                word = " && " if isinstance(op, ast.And) else " || "
                return f"({word.join(self._test(value) for value in values)})"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!({self._test(operand)})"
        return self._value(node)

    def _comparison(self, node: ast.Compare) -> str:
        """Write a chain of comparisons; what stands between two is looked at once."""
        left, parts = self._value(node.left), []
        last = node.comparators[-1]
        for op, right in zip(node.ops, node.comparators, strict=True):
            value = shown = self._value(right)
            if right is not last and not _is_simple(right):
                value = self._own_name()
                shown = f"({value} = {shown})"
            parts.append(f"{left} {COMPARISONS[type(op)]} {shown}")
            left = value
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def _number(self, value: int) -> str:
        text = f"{int(value)}{'n' if self._wide else ''}"
        return f"({text})" if value < 0 else text

    def _own_name(self) -> str:
        self._own.append(f"${len(self._own) + 1}")
        return self._own[-1]

    def _refuse(self, node: ast.AST) -> OutsideSubset:
        rule = self._rule.rule
        return rule.refuse(node, f"{type(node).__name__} cannot be written here")


def _name(name: str) -> str:
    return f"{name}$" if name in RESERVED else name


def _bare(text: str) -> str:
    """Return an expression without the brackets around all of it, if there are any."""
    opened = 0
    for at, sign in enumerate(text):
        opened += (sign == "(") - (sign == ")")
        if not opened:
            return text[1:-1] if at and at == len(text) - 1 else text
    return text


def _is_simple(tree: ast.AST) -> bool:
    """Tell whether an expression is of names and numbers alone."""
    return all(isinstance(node, (*SIMPLE, ast.expr_context)) for node in ast.walk(tree))


def _calls(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Call) for node in ast.walk(tree))
