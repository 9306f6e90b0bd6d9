"""The types of the JavaScript client: those of its code, and those of the contract."""

import json
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from services.client.javascript.pack import pack
from tests.client.contract import members, schema_at
from tests.support.node import CLIENT, compile_types, node, run_node
from tests.support.untar import unpack

ROOT = Path(__file__).parents[2]
DECLARED = (CLIENT / "seedlog.d.ts").read_text("utf-8")
INTERFACES = {
    name: (parent, body)
    for name, parent, body in re.findall(
        r"^export interface (\w+)(?: extends (\w+))? \{\n(.*?)^\}",
        DECLARED,
        re.M | re.S,
    )
}
OF_THE_CLIENT = {
    "RequestOptions",
    "PlayOptions",
    "SeekWanted",
    "Options",
    "VerifiedExport",
}
SCHEMA_OF = {
    "PlayedMove": "MoveList/properties/data/items",
    "Offer": "MatchBody/allOf/1/properties/offer/oneOf/1",
    "Outcome": "Outcome/oneOf/1",
}

CHECK = """
import * as declared from "./declared/seedlog.js";
import * as written from "./written/seedlog.js";
import { Problem, Seedlog, verifyExport, verifyWebhook } from "./declared/seedlog.js";

// What is written does what is declared, and declares all that is written.
export const all: typeof declared = written;
export const back: Record<keyof typeof written, unknown> = declared;

export async function useIt(): Promise<string[]> {
  const app = new Seedlog("https://games.example", "sk_x", { retryForS: 5 });
  const match = await app.openMatch("kalah", {
    seats: { south: { kind: "human", name: "Amara" }, north: { kind: "ai", level: 3 } },
    clock: { initial_s: 300, increment_s: 2 },
  });
  const south = app.holding(match.seat_tokens.south);
  try {
    const { match: next } = await south.play(match.id, "C", { version: match.version });
    if (next.outcome?.winner === "south") return next.legal_moves;
  } catch (error) {
    if (error instanceof Problem && error.type === "illegal-move") {
      return error.facts.legal_moves;
    }
  }
  for await (const event of south.follow(match.id)) {
    const left: string[] | undefined = event.legal_moves;
    if (left) return left;
  }
  const said = await verifyWebhook("whsec_", new Headers(), "{}");
  const held = await verifyExport(await app.exportMatch(match.id));
  // @ts-expect-error: a move has to say which version was seen
  await south.play(match.id, "C", {});
  // @ts-expect-error: there is no such status
  app.matches({ status: "over" });
  return [said.type, held.hash];
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder in which code and declarations do not hide each other."""
    for name in ("declared", "written"):
        (tmp_path / name).mkdir()
    shutil.copy(CLIENT / "seedlog.d.ts", tmp_path / "declared/seedlog.d.ts")
    shutil.copy(CLIENT / "seedlog.js", tmp_path / "written/seedlog.js")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    return tmp_path


def test_the_code_has_the_types_that_are_declared(folder: Path) -> None:
    text = (folder / "written/seedlog.js").read_text("utf-8")
    own = text.replace('import("./seedlog.d.ts")', 'import("../declared/seedlog.js")')
    (folder / "written/seedlog.js").write_text(own)
    (folder / "check.ts").write_text(CHECK)

    compiled = compile_types(folder, "--allowJs", "--checkJs", "check.ts")

    assert compiled.returncode == 0, compiled.stdout


def declared(name: str) -> tuple[set[str], set[str]]:
    parent, body = INTERFACES[name]
    found = re.findall(r"^  (\w+)(\??):", body, re.M)
    named = {member for member, _ in found}
    required = {member for member, may_be_missing in found if not may_be_missing}
    if not parent:
        return named, required
    more, always = declared(parent)
    return named | more, required | always


@pytest.mark.parametrize("name", sorted(set(INTERFACES) - OF_THE_CLIENT))
def test_the_types_are_those_of_the_contract(name: str) -> None:
    assert declared(name) == members(schema_at(SCHEMA_OF.get(name, name)))


def test_the_package_for_npm_is_installed_and_imported(tmp_path: Path) -> None:
    """Its version is that of the server; the same sources make the same bytes."""
    path = pack(tmp_path / "one")
    assert path.read_bytes() == pack(tmp_path / "two").read_bytes()
    with tarfile.open(path) as archive:
        unpack(archive, tmp_path / "node_modules")
    (tmp_path / "node_modules/package").rename(tmp_path / "node_modules/seedlog")
    described = json.loads((tmp_path / "node_modules/seedlog/package.json").read_text())
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'version = "{described["version"]}"' in project
    node()
    program = 'import { Seedlog } from "seedlog"; console.log(typeof Seedlog);'
    (tmp_path / "main.mjs").write_text(program)

    assert run_node(tmp_path, "main.mjs").stdout == "function\n"
