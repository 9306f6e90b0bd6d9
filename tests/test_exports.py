"""What the packages offer is exactly what they say they offer."""

import subprocess
import sys

import rules_core
import services.eventlog
import services.match
import services.views


def test_the_public_face_of_the_rules_is_exact() -> None:
    assert sorted(rules_core.__all__) == [
        "GAMES",
        "Game",
        "IllegalMove",
        "InvalidOptions",
        "InvalidPosition",
        "InvalidSnapshot",
        "Layout",
        "OptionSpec",
        "Outcome",
        "Position",
        "REASONS",
        "Recorded",
        "RulesError",
        "Step",
        "UnknownGame",
        "all_games",
        "find_game",
        "from_moves",
        "parse",
        "play_all",
        "play_recorded",
        "restore",
        "start",
    ]


def test_everything_offered_is_there() -> None:
    for package in (rules_core, services.eventlog, services.match, services.views):
        for name in package.__all__:
            assert hasattr(package, name), f"{package.__name__}.{name}"


def test_the_rules_import_the_standard_library_alone() -> None:
    code = (
        "import sys; known = set(sys.modules); import rules_core; "
        "print(*sorted({m.partition('.')[0] for m in set(sys.modules) - known}))"
    )

    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    foreign = set(shown.stdout.split()) - set(sys.stdlib_module_names) - {"rules_core"}
    assert not foreign
