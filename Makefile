# Seedlog: `make up` runs the stack, `make test` runs the tests; both set up what they
# need in .venv, once.

PYTHON ?= $(firstword $(foreach p,python3.13 python3.12 python3.11 python3,\
	$(shell $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $(p))))
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

SHELL_SCRIPTS := $(shell grep -lEs '^(\#!.*sh$$|\# shellcheck shell=)' deploy/* .ci/*)
# Its wheel is for the usual systems; elsewhere that of the system is taken.
SHELLCHECK = $(firstword $(wildcard $(BIN)/shellcheck) shellcheck)

.PHONY: help up ports demo test lint shell-scripts format \
	translations settings bench chaos npm lock clean

help:
	@echo 'make up      run the stack: API, page, projector, AI workers, Redis'
	@echo 'make test    run all tests'
	@echo 'make demo    play a match of every game over HTTP, and prove it by replay'
	@echo 'make bench   measure, each figure beside a baseline of the same run'
	@echo 'make chaos   harm a stack while many play on it: ARGS="--minutes 30"'
	@echo 'make npm     pack the JavaScript client for npm, into build/'
	@echo 'make lint    ruff, mypy, import-linter, shellcheck'
	@echo 'make translations   bring the catalogues up to what the code says to people'
	@echo 'make settings       bring the table of the README up to the settings'

# A newcomer's computer players know small endings, some seconds after the start.
up: ports .venv/.compiled
	@exec $(BIN)/seedlog up --tables

ports: .venv/.python
	@$(BIN)/python services/cli/ports.py

demo: .venv/.compiled
	@exec $(BIN)/seedlog demo $(DEMO)

# Six files at once, on two cores, too: each waits now and then for processes and clocks,
# and one lets chaos reign for three minutes, most of which it sleeps. Hundreds of
# processes import the same files; what is compiled once is kept for them, also where
# the environment says otherwise.
test: .venv/.dev .venv/.compiled
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses 6 \
		--dist loadfile --no-loadscope-reorder $(TESTS)

lint: .venv/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(SHELLCHECK) -x $(SHELL_SCRIPTS)

shell-scripts:
	@echo $(SHELL_SCRIPTS)

format: .venv/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

translations: .venv/.dev
	$(BIN)/python -m tests.languages.update

settings: .venv/.dev
	$(BIN)/python -m tests.support.settings_table

bench: .venv/.dev .venv/.compiled
	$(BIN)/python -m tests.bench $(BENCH)

chaos: .venv/.dev .venv/.compiled
	$(BIN)/python -m tests.chaos $(ARGS)

npm: .venv/.python
	@$(BIN)/python services/client/javascript/pack.py build

.venv/.python:
	@test -n '$(PYTHON)' || { echo 'Seedlog needs Python 3.11 or newer.'; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/.runtime: .venv/.python requirements.lock pyproject.toml setup.py
	@echo 'Setting up .venv: about a minute, once.'
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	deploy/fetch-redis $(BIN)
	@touch $@

# The compiled games follow their sources; without a compiler there are none.
.venv/.compiled: .venv/.runtime $(wildcard $(addprefix rules_core/,*.py */*.py */*/*.p*))
	@$(BIN)/python -m rules_core.translation.c.build
	@touch $@

.venv/.dev: .venv/.runtime requirements-dev.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

# Needs the package uv; the locks hold hashes for every Python and no URL.
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate --group build \
		-o requirements.lock pyproject.toml
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate --group build --group dev \
		-o requirements-dev.lock pyproject.toml

clean:
	rm -rf .venv build *.egg-info
