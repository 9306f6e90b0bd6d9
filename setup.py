"""Compiles the games where a C compiler is at hand; all else is in pyproject.toml.

In a checkout `make` does it (`python -m rules_core.translation.c.build`), so an
editable install has nothing to compile.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup

sys.path.insert(0, str(Path(__file__).parent))

from rules_core.compiled import module_name
from rules_core.translation.c.build import (
    FLAGS,
    FOLDER,
    built_in,
    why_not,
    write_c_sources,
)

is_editable = any("editable" in word for word in sys.argv)
sources = {} if is_editable or why_not() else write_c_sources(FOLDER, built_in())

setup(
    ext_modules=[
        Extension(
            module_name(game),
            [str(source)],
            extra_compile_args=list(FLAGS),
            optional=True,
        )
        for game, source in sources.items()
    ],
    options={"build_ext": {"parallel": 2}},
)
