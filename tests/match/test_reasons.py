"""Why matches end, in words."""

from rules_core import REASONS as OF_THE_RULES
from services.match.reasons import REASONS, reason_in_words


def test_every_reason_has_words() -> None:
    others = {"abandoned", "agreement", "resignation", "time", "too-long"}

    assert set(REASONS) == {*OF_THE_RULES, *others, "aborted", "no-show"}


def test_a_reason_of_another_package_is_told_as_it_is() -> None:
    assert reason_in_words("eclipse") == "eclipse"
