"""Every rule has a test that names it."""

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RULES = (HERE / "rule_ids.txt").read_text(encoding="utf-8").split()


def names_of_tests() -> list[str]:
    """Return the names of all tests of the rules, as words."""
    return [
        node.name
        for path in HERE.glob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


TESTED = {word for name in names_of_tests() for word in name.split("_")}


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_is_named_by_a_test(rule: str) -> None:
    """As `test_k4_...`."""
    assert rule.lower() in TESTED
