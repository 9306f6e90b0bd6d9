"""Compiles the games where a C compiler is at hand; all else is in pyproject.toml.

In a checkout `make` does it (`python -m rules_core.translation.c.build`), so an
editable install has nothing to compile.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup

sys.path.insert(0, str(Path(__file__).parent))

from rules_core.translation.c.build import FLAGS, write_c_sources

is_editable = any("editable" in word for word in sys.argv)
sources = [] if is_editable else write_c_sources()

setup(
    ext_modules=[
        Extension(name, [source], extra_compile_args=list(FLAGS), optional=True)
        for name, source in sources
    ],
    options={"build_ext": {"parallel": 2}},
)
