"""Packs the JavaScript client for npm: ``python services/client/javascript/pack.py``.

The version is that of pyproject.toml. It is written as npm would, a gzipped tar with
all files under ``package/``, so no npm is needed; the same sources give the same bytes.
"""

import gzip
import io
import json
import sys
import tarfile
import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]
FILES = {
    "seedlog.js": FOLDER / "seedlog.js",
    "seedlog.d.ts": FOLDER / "seedlog.d.ts",
    "README.md": FOLDER.parent / "README.md",
    "LICENSE": ROOT / "LICENSE",
}


def manifest() -> dict[str, object]:
    """Return package.json, made from what pyproject.toml says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "name": project["name"],
        "version": project["version"],
        "description": "A client of the Seedlog API for browsers and Node.",
        "license": project["license"],
        "type": "module",
        "exports": {".": {"types": "./seedlog.d.ts", "default": "./seedlog.js"}},
        "types": "./seedlog.d.ts",
        "files": ["seedlog.js", "seedlog.d.ts"],
        "sideEffects": False,
        "engines": {"node": ">=18"},
    }


def pack(target: Path) -> Path:
    """Write the package into a folder, and return its path."""
    described = manifest()
    texts = {name: path.read_bytes() for name, path in FILES.items()}
    texts["package.json"] = (json.dumps(described, indent=2) + "\n").encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in sorted(texts.items()):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode = len(text), 0o644
            archive.addfile(entry, io.BytesIO(text))
    target.mkdir(parents=True, exist_ok=True)
    path = target / f"{described['name']}-{described['version']}.tgz"
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return path


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    print(pack(where))
