"""Node and the compiler of TypeScript; without them tests skip, and say so."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.support.require import skip_without

TYPESCRIPT = "typescript@5.9.3"
AXE = "axe-core@4.10.3"
# Without a network npm would try for minutes.
PATIENCE = {"npm_config_fetch_retries": "0", "npm_config_fetch_timeout": "20000"}
CLIENT = Path(__file__).parents[2] / "services/client/javascript"


def node() -> str:
    """Return the path of Node, 18 or later."""
    program = shutil.which("node")
    if program is None:
        skip_without("node", "no node on PATH")
    told = subprocess.run([program, "--version"], capture_output=True, text=True)
    if int(told.stdout.lstrip("v").partition(".")[0]) < 18:
        skip_without("node", f"{told.stdout.strip()} is older than 18")
    return program


def run_node(
    folder: Path, *arguments: str, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run a program that was written into a folder."""
    return subprocess.run(
        [node(), *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=200,
    )


def compile_types(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run tsc strictly, as for a program of Node; skip where there is none."""
    strict = ["--noEmit", "--strict", "--target", "es2022"]
    strict += ["--module", "nodenext", "--moduleResolution", "nodenext"]
    strict += ["--lib", "es2023,dom,dom.iterable"]
    return run_tsc(folder, *strict, *arguments)


def run_tsc(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run tsc, that of PATH or one that npm fetches; skip where there is none."""
    command = [shutil.which("tsc") or "", *arguments]
    if not command[0]:
        fetched = [npm(), "exec", "--yes", f"--package={TYPESCRIPT}", "--", "tsc"]
        version = subprocess.run(
            [*fetched, "--version"],
            cwd=folder,
            env=os.environ | PATIENCE,
            capture_output=True,
            text=True,
        )
        if version.returncode:
            skip_without("tsc", f"npm cannot fetch {TYPESCRIPT} here")
        command = [*fetched, *command[1:]]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def fetch_axe(folder: Path) -> str:
    """Return the code of axe-core, which npm fetches; skip where it cannot."""
    done = subprocess.run(
        [npm(), "install", "--no-fund", "--no-audit", AXE],
        cwd=folder,
        env=os.environ | PATIENCE,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        skip_without("axe", f"npm cannot fetch {AXE} here")
    return (folder / "node_modules/axe-core/axe.min.js").read_text("utf-8")


def npm() -> str:
    """Return the path of npm."""
    program = shutil.which("npm")
    if program is None:
        skip_without("npm", "no npm on PATH")
    return program
