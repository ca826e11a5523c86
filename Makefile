# Two commands matter: `make serve` and `make test`. Each sets up what it needs.
PYTHON ?= $(firstword $(foreach p,python3.13 python3.12 python3.11 python3,$(if $(shell $(p) -c 'import sys; sys.version_info < (3, 11) and sys.exit(1); print(1)' 2>/dev/null),$(p))))
VENV ?= .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000

.PHONY: help install serve test check bench clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Pierule needs Python 3.11 or later on the PATH (or PYTHON=...)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.server: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[server]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.server

install: $(VENV)/.dev ## Make the environment with all tools in .venv

serve: $(VENV)/.server ## Serve on ws://127.0.0.1:8000/ws with an embedded store
	@exec $(BIN)/pierule serve --host $(HOST) --port $(PORT)

check: $(VENV)/.dev ## Lint, types, import floors and unit tests: quick feedback
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n 2 --ignore=tests/e2e --ignore=tests/bench

test: check ## Everything: check, then whole games over real sockets and real stores
	$(BIN)/python -m pytest -q -n 2 tests/e2e

bench: $(VENV)/.dev ## Measure the rules
	$(BIN)/python tests/bench/rules.py

clean: ## Remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist
