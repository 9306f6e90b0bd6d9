"""The contract held against the running API by a fuzzer that knows nothing else."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.stack import Stack

HERE = Path(__file__).parent
EXAMPLES = os.environ.get("SEEDLOG_FUZZ_EXAMPLES", "8")


def test_nothing_is_found(stack: Stack) -> None:
    """All checks, each operation by itself and along the links from an opened match."""
    command = [sys.executable, "-m", "schemathesis.cli"]
    command += ["--config-file", str(HERE / "schemathesis.toml")]
    command += ["run", str(HERE.parents[1] / "openapi.yaml"), "--url", stack.url]
    command += ["--header", f"Authorization: Bearer {stack.api_key}"]
    command += ["--checks", "all", "--phases", "examples,coverage,fuzzing,stateful"]
    command += ["--exclude-path-regex", "/v1/(matches/.*/)?stream"]
    command += ["--seed", "1", "--max-examples", EXAMPLES, "--request-timeout", "20"]
    command += ["--continue-on-failure", "--generation-database", "none"]

    ended = subprocess.run(
        command,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.http.serializers"},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        timeout=200,
    )

    assert ended.returncode == 0, ended.stdout[-8000:] + ended.stderr[-2000:]
    counted = re.search(r"(\d+) generated, (\d+) passed", ended.stdout)
    assert counted is not None, ended.stdout[-2000:]
    assert counted[1] == counted[2]
    assert int(counted[1]) > 1000
