"""Modules as one file: in their order, each by itself, without what nobody calls."""

from pathlib import Path

import pytest

from services.web.bundle import CannotBundle, Loaded, bundle, imported, modules_of


def bundled(folder: Path, *, first: str = "main", **texts: str) -> str:
    """Return the bundle of modules, each written as `name=text`."""
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text)
    return bundle(f"/{first}.js", lambda address: folder / address[1:], str)


def test_what_is_imported_comes_first_and_once(tmp_path: Path) -> None:
    code = bundled(
        tmp_path,
        main='import { a } from "./a.js";\nimport { b } from "./b.js";\na(b);\n',
        a='import { b } from "./b.js";\nexport function a() {\n  b();\n}\n',
        b="export const b = 1;\n",
    )

    assert code.index("const b = 1") < code.index("function a()") < code.index("a(b)")
    assert code.count("const b = 1") == 1
    assert "export" not in code
    assert "import" not in code


def test_names_are_those_of_who_imports(tmp_path: Path) -> None:
    code = bundled(
        tmp_path,
        main='import {\n  draw as drawBoard,\n} from "./board.js";\ndrawBoard();\n',
        board="export function draw() {\n}\n",
    )

    assert "const {\n  draw: drawBoard,\n} = $_board_js;" in code


def test_functions_that_nobody_calls_are_left_out(tmp_path: Path) -> None:
    """Nor are those that only they have called."""
    code = bundled(
        tmp_path,
        main='import { used } from "./a.js";\nused();\n',
        a=(
            "export function used() {\n}\n"
            "export async function unused() {\n  onlyThere();\n}\n"
            "function onlyThere() {\n}\n"
        ),
    )

    assert "used()" in code
    assert "unused" not in code
    assert "onlyThere" not in code


def test_a_later_bundle_takes_what_is_there(tmp_path: Path) -> None:
    """A module has one state, in whichever bundle it came."""
    texts = {
        "main": 'import { one } from "./shared.js";\none();\n',
        "shared": "export function one() {\n}\nexport function two() {\n}\n",
        "later": 'import { two } from "./shared.js";\ntwo();\n',
    }
    bundled(tmp_path, **texts)

    def find(address: str) -> Path:
        return tmp_path / address[1:]

    shared = imported(["/later.js"], find)
    first = bundle("/main.js", find, str, shared)
    there = Loaded("/assets/main.js", modules_of("/main.js", find))
    then = bundle("/later.js", find, str, loaded=there)

    assert "function two" in first
    assert first.endswith("export { $_shared_js };\n")
    assert then.startswith('import { $_shared_js } from "/assets/main.js";\n')
    assert "function two" not in then


def test_files_are_named_as_they_are_served(tmp_path: Path) -> None:
    code = bundled(
        tmp_path, main='const url = new URL("./board.css", import.meta.url).href;\n'
    )

    assert 'new URL("/board.css", import.meta.url)' in code


@pytest.mark.parametrize(
    "texts",
    [
        {"main": 'import { a } from "./a.js";\n', "a": "export default 1;\n"},
        {
            "main": 'import { a } from "./a.js";\n',
            "a": 'import { b } from "./main.js";\n',
        },
    ],
)
def test_what_bundles_cannot_say_is_refused(
    tmp_path: Path, texts: dict[str, str]
) -> None:
    with pytest.raises(CannotBundle):
        bundled(tmp_path, **texts)
