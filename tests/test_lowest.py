"""The lowest versions that pyproject.toml allows are installed, and play."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from services.cli import redis_server
from tests.support.proof import prove
from tests.support.require import is_required, skip_without
from tests.support.stack import running_stack

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BOUND = re.compile(r"([\w.-]+(?:\[[\w,-]+\])?)>=([\d.]+)(; .+)?")
LOWEST_PYTHON = PROJECT["project"]["requires-python"].removeprefix(">=")
OF_TESTS = ("pytest", "pytest-timeout", "hypothesis", "jsonschema-rs", "pyyaml")
"""What tests of the server need; of their versions nothing is promised."""

AIS = {"south": {"kind": "ai", "level": 1}, "north": {"kind": "ai", "level": 2}}


def bounds() -> list[str]:
    """Return what the project needs to run, with all extras, and to be built."""
    extras = PROJECT["project"]["optional-dependencies"].values()
    needed = [*PROJECT["project"]["dependencies"], *(d for e in extras for d in e)]
    return [*needed, *PROJECT["dependency-groups"]["build"]]


def lowest(bound: str) -> str:
    """Return the requirement of the one version that a bound begins with."""
    parts = BOUND.fullmatch(bound)
    assert parts, f"{bound} has no lower bound, or more than that"
    return f"{parts[1]}=={parts[2]}{parts[3] or ''}"


@pytest.mark.parametrize("bound", bounds())
def test_every_dependency_has_a_lower_bound_that_can_be_installed(bound: str) -> None:
    assert lowest(bound)


@pytest.fixture(scope="module")
def lowest_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a Python with the lowest versions of everything, and no compiled rules."""
    if not is_required("lowest"):
        pytest.skip("installs 15 packages; SEEDLOG_REQUIRE=lowest runs it")
    program = shutil.which(f"python{LOWEST_PYTHON}")
    if program is None:
        skip_without("lowest", f"no python{LOWEST_PYTHON} on PATH")
    folder = tmp_path_factory.mktemp("lowest") / "venv"
    subprocess.run([program, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = str(folder / "bin" / "python")
    pins = [lowest(bound) for bound in bounds() if not bound.startswith("cython")]
    ran = subprocess.run(
        [*installing(python), *pins, *OF_TESTS], capture_output=True, text=True
    )
    if ran.returncode:
        skip_without("lowest", f"pip could not install {pins}: {ran.stderr[-300:]}")
    sources = shutil.copytree(
        ROOT, folder.parent / "sources", ignore=shutil.ignore_patterns(".*", "*.so")
    )
    offline = ["--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*installing(python), *offline, str(sources)], check=True)
    return python


def installing(python: str) -> list[str]:
    """Return the command that installs for another Python; it compiles what it runs."""
    pip = [sys.executable, "-m", "pip", "--python", python]
    return [*pip, "install", "--quiet", "--no-compile"]


def test_the_lowest_versions_play_a_match(lowest_python: str, tmp_path: Path) -> None:
    """Two computer players over HTTP."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    settings = {"PYTHONSAFEPATH": "1", "PYTHONPATH": ""}

    with running_stack(tmp_path, python=lowest_python, **settings) as stack:
        options = {"pits": 4, "seeds": 2}
        match = stack.client.open_match("kalah", AIS, options=options)
        ended = stack.client.wait_for_end(match["id"])
        assert ended["status"] == "finished"
        assert prove(stack.client, match["id"])


def test_the_lowest_gunicorn_refuses_what_a_client_may_not_send(
    lowest_python: str,
) -> None:
    """Its parser decides that; the tests of the server tell."""
    tests = ["tests/http/test_worker.py", "tests/http/test_framing.py"]
    command = [lowest_python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-4000:]


def test_the_lowest_versions_reach_an_object_store(lowest_python: str) -> None:
    """As far as that goes without one: the extra fits to what it extends."""
    ask = "import fsspec; print(fsspec.get_filesystem_class('s3').__name__)"
    ran = subprocess.run([lowest_python, "-c", ask], capture_output=True, text=True)
    assert ran.stdout == "S3FileSystem\n", ran.stderr


def test_the_lowest_cython_compiles_a_game(lowest_python: str, tmp_path: Path) -> None:
    """To C; what C compilers take does not change."""
    [cython] = [b for b in bounds() if b.startswith("cython")]
    subprocess.run([*installing(lowest_python), lowest(cython)], check=True)
    write = (
        "import pathlib, sys; from rules_core import GAMES;"
        "from rules_core.translation.c.build import write_c_sources;"
        "print(*write_c_sources(pathlib.Path(sys.argv[1]), GAMES[:1]).values())"
    )
    command = [lowest_python, "-c", write, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ran.stdout.endswith("_kalah.c\n"), ran.stderr
