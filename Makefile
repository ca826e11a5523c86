# Two commands matter: `make serve` and `make test`. Each sets up what it needs.
PYTHON ?= $(firstword $(foreach p,python3.13 python3.12 python3.11 python3,$(if $(shell $(p) -c 'import sys; sys.version_info < (3, 11) and sys.exit(1); print(1)' 2>/dev/null),$(p))))
VENV ?= .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
BOTS ?= random,one-step,search
# `auto` is one process, unless there are more than two cores.
WORKERS ?= auto

# Tests with real processes, sockets and stores, and those in which bots play whole games; all the
# others are quick.
SLOW := $(addprefix tests/,server/store fuzz conform e2e chaos simulation search)
PAGES := tests/browser
ARCHIVE := tests/archive
# Of each property: `quick` or `thorough` (tests/support/examples.py).
EXAMPLES ?= quick
PYTEST = $(BIN)/python -m pytest -q

# Where the environment forbids it, each of a thousand processes would compile Pierule anew.
export PYTHONDONTWRITEBYTECODE :=

# The page, and the client library that it stands on.
WEB := clients/web
NPM = $(WEB)/npm.sh $(VENV)
MODULES := $(WEB)/node_modules/.package-lock.json
PAGE := server/pierule_server/page/index.html
MANUAL := clients/python/pierule.1
LIBRARY := $(WEB)/client/dist/index.js
WEB_SOURCES := $(shell find $(WEB) -type d \( -name node_modules -o -name dist -o -name screenshots \) -prune -o -type f -print)

.PHONY: help install page manual docs serve generated test check browsers archive slow pages pictures bench bench-quick bench-archive bench-ratings bench-pairing bench-parts bench-pairs way bench-bots abuse soak soak-social year fuzz model simulate simulate-broken chaos chaos-broken lock dist clean dashboard bench-fanout

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Pierule needs Python 3.11 or later on the PATH (or PYTHON=...)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.server: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[server,tui]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.server

$(VENV)/.dist: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[server,dist]'
	@touch $@

install: $(VENV)/.dev ## Make the environment with all tools in .venv

$(MODULES): $(WEB)/package.json $(WEB)/package-lock.json $(WEB)/client/package.json | $(BIN)/python
	$(NPM) ci --ignore-scripts --loglevel=error
	@touch $@

$(PAGE): $(WEB_SOURCES) $(MODULES)
	$(NPM) run --silent build

$(LIBRARY): $(WEB_SOURCES) $(MODULES)
	$(NPM) run --silent build --workspace client
	@touch $@

page: $(PAGE) ## Build the page that the server shows (needs Node; gets it from PyPI if there is none)

manual: $(VENV)/.dist ## Write the manual page of `pierule`
	PYTHONPATH=tests $(BIN)/python -m support.manual $(MANUAL)

docs: $(VENV)/.dev ## Write the API reference of the Python client to clients/python/api/
	PYTHONPATH=tests $(BIN)/python -m support.api_pages clients/python/api

# A server without its page still serves: who plays in a terminal misses nothing.
serve: $(VENV)/.server ## Serve the page on http://127.0.0.1:8000/ and the protocol on /ws, with an embedded store and house bots (BOTS=)
	@$(MAKE) --no-print-directory page || echo "The page could not be built; serving without it." >&2
	@exec $(BIN)/pierule serve --host $(HOST) --port $(PORT) --workers $(WORKERS) --bots '$(BOTS)'

check: $(VENV)/.dev $(PAGE) ## Lint, types, import contracts and unit tests: quick feedback
	@$(MAKE) --no-print-directory -j 2 $(if $(filter output-sync,$(.FEATURES)),-O) units types

# Most of mypy and of the page's tools uses one core. Three processes of tests for two cores: one
# always waits for a program or a deadline, and a further one costs little, as all are forked.
.PHONY: units types
units: $(VENV)/.dev
	$(PYTEST) --hypothesis-profile=$(EXAMPLES) -n 3 --dist worksteal tests $(addprefix --ignore=,$(SLOW) $(ARCHIVE) $(PAGES))

types: $(VENV)/.dev $(PAGE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(NPM) run --silent check
	$(NPM) test --silent

test: $(VENV)/.dev ## Everything: browsers for it, check, then real stores, sockets, processes and pages
	@PYTHONPATH=tests $(BIN)/python -m support.parts $(MAKE)

browsers: $(VENV)/.dev ## Get the browsers that the tests of the page need, if they are not installed
	PYTHONPATH=tests $(BIN)/python -m support.browsers

archive: $(VENV)/.dev ## Tests of the archive in SQLite and in a real PostgreSQL
	$(PYTEST) -n 3 --dist worksteal $(ARCHIVE)

# Six for two cores: most of these tests wait for a process, a store or a deadline.
slow: $(VENV)/.dev $(PAGE) $(LIBRARY) ## Tests of real stores, sockets and processes, and of what kills them
	$(PYTEST) --hypothesis-profile=$(EXAMPLES) -n 6 --dist worksteal $(SLOW)

# Apart, because Playwright's loop runs for as long as the process: no other could in it.
# Four for two cores: people wait now and then.
pages: $(VENV)/.dev $(PAGE) browsers ## Tests of the page in real browsers
	$(PYTEST) -n 4 --dist worksteal $(PAGES)

pictures: $(VENV)/.dev $(PAGE) browsers ## Take the pictures of the page in clients/web/screenshots/ anew
	PYTHONPATH=tests $(BIN)/python -m browser.sheets

generated: $(VENV)/.dev ## Write schemas, vectors, types and the written parts of the SPEC anew
	PYTHONPATH=tests $(BIN)/python -m support.vectors

bench: $(VENV)/.dev ## Measure Pierule beside its peers, 15 minutes (ARGS="--help"); needs cc and Node
	PYTHONPATH=tests $(BIN)/python -m bench $(ARGS)

bench-quick: $(VENV)/.dev ## Ratios to plain websockets in a minute, and their trend; needs cc
	PYTHONPATH=tests $(BIN)/python -m bench.quick $(ARGS)

bench-archive: $(VENV)/.dev ## Measure the archive with a million games in both databases, and its cost to a node (GAMES=, DATABASE=, ARGS="--help")
	PYTHONPATH=tests $(BIN)/python -m bench.archive --games $(or $(GAMES),1000000) --database $(or $(DATABASE),both) $(ARGS)

bench-ratings: $(VENV)/.dev ## Compare rating models on simulated years, 10 minutes (ARGS="--help")
	PYTHONPATH=tests $(BIN)/python -m bench.ratings $(ARGS)

bench-pairing: $(VENV)/.dev ## Simulate how long users wait for an opponent and how strong that is, 2 minutes (ARGS="--help")
	PYTHONPATH=tests $(BIN)/python -m bench.pairing $(ARGS)

bench-parts: $(VENV)/.dev ## Measure the rules, the parts of an action, and what one stalled reader of 1,000 does
	$(BIN)/python tests/bench/rules.py
	PYTHONPATH=tests $(BIN)/python -m bench.parts
	PYTHONPATH=tests $(BIN)/python -m bench.slow_reader

bench-pairs: $(VENV)/.dev ## Processor time of an action, and of an idle node, in this tree beside another commit's (BASE=, ARGS="--help", ARGS=--crowd for storms and memory); needs cc
	PYTHONPATH=tests $(BIN)/python -m bench.pairs $(or $(BASE),HEAD) $(ARGS)

bench-fanout: $(VENV)/.dev ## Simulate one game with a million spectators, and compute what so many people cost (ARGS="--help")
	PYTHONPATH=tests $(BIN)/python -m bench.fanout $(ARGS)

dashboard: $(VENV)/.dev ## Ask a real Prometheus for every panel of the Grafana dashboard, 2 minutes; needs prometheus
	PYTHONPATH=tests $(BIN)/python -m dashboard

way: $(VENV)/.dev ## Count the files that an action visits, from one player's socket to the other's
	PYTHONPATH=tests $(BIN)/python -m support.way

bench-bots: $(VENV)/.dev ## Have the levels of house bots play each other, 100 games a line (GAMES=)
	$(BIN)/python tests/bench/bots.py $(or $(GAMES),100)

abuse: $(VENV)/.dev ## Attack a node from one address, a minute each: nobody else may notice (ARGS="--help")
	PYTHONPATH=tests $(BIN)/python -m abuse $(ARGS)

soak-social: $(VENV)/.dev ## 300 people seek, play, agree, leave, claim and chat at random; a node is killed (ARGS="--help")
	PYTHONPATH=tests $(BIN)/python -m social $(ARGS)

soak: $(VENV)/.dev ## 100,000 short rooms: memory stays flat (ROOMS=, MINUTES=, WORKERS=2)
	PYTHONPATH=tests $(BIN)/python -m bench.soak $(or $(ROOMS),100000) $(or $(MINUTES),60) $(if $(filter-out auto,$(WORKERS)),$(WORKERS),1)

# PYTHONS= and LIBFAKETIME= take paths; without them it uses what the machine has.
year: $(VENV)/.dev $(PAGE) manual ## A simulated year: an outsider's ratings are the server's to the last digit (GAMES=, PYTHONS=, LIBFAKETIME=, JSON=)
	PYTHONPATH=tests $(BIN)/python -m year --games $(or $(GAMES),10000) --pythons '$(PYTHONS)' \
	  $(if $(LIBFAKETIME),--faketime $(LIBFAKETIME)) --json $(or $(JSON),year.json) $(ARGS)

fuzz: $(VENV)/.dev $(LIBRARY) ## Look for input that is neither accepted nor refused in order (SECONDS= for each)
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[fuzz]'
	for target in json msgpack page messages session libraries; do \
		PYTHONPATH=tests $(BIN)/python -m fuzz.run $$target -max_total_time=$(or $(SECONDS),60) || exit; done

simulate: $(VENV)/.dev ## Play out any number of seeds in virtual time, with faults (SEEDS=, START=, JOBS=, KEEP=file to go on there)
	PYTHONPATH=tests $(BIN)/python -m simulation --seeds $(or $(SEEDS),100) --start $(or $(START),1) \
	  $(if $(JOBS),--jobs $(JOBS)) $(if $(KEEP),--keep $(KEEP)) $(ARGS)

simulate-broken: $(VENV)/.dev ## Break one law after the other on purpose: simulations must find each (SEEDS=, NAMES='"…" "…"')
	PYTHONPATH=tests $(BIN)/python -m simulation.breaking --seeds $(or $(SEEDS),1000) $(NAMES)

chaos: $(VENV)/.dev ## Kill anything for 15 minutes: no acknowledged action lost (SEED=, JSON=, ARGS="--workers 2")
	PYTHONPATH=tests $(BIN)/python -m chaos --seed $(or $(SEED),1) --json $(or $(JSON),chaos-$(or $(SEED),1).json) $(ARGS)

model: $(VENV)/.dev ## Check a model of the core in every order of events, and find what is broken on purpose (ARGS="--help")
	PYTHONPATH=tests $(BIN)/python -m model $(ARGS)

chaos-broken: $(VENV)/.dev ## Break one law after the other on purpose: the checker must find each
	PYTHONPATH=tests $(BIN)/python -m chaos.broken
	PYTHONPATH=tests $(BIN)/python -m social.broken

LOCK = $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --constraint constraints.txt \
  --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock"

lock: $(VENV)/.dist $(VENV)/.dev ## Write anew what users install, with hashes (deploy/requirements*.txt), and its licenses
	$(LOCK) --extra server --extra postgresql --extra traces --output-file deploy/requirements.txt
	$(LOCK) --extra tui --extra proof --output-file deploy/requirements-terminal.txt
	PYTHONPATH=tests $(BIN)/python -m support.licenses

# The list of what is in it (SBOM) is read off an environment that has the wheel and the lock, and
# nothing else; so the wheel was installed once before anybody gets it.
dist: $(VENV)/.dist $(PAGE) manual ## Make the wheel, the sdist and their lists of parts (SBOM) in dist/
	rm -rf dist
	$(BIN)/hatchling build -t sdist -t wheel -d dist
	$(BIN)/hatchling build -t wheel -d dist/again
	cmp dist/*.whl dist/again/*.whl
	rm -r dist/again
	$(PYTHON) -m venv dist/tried
	dist/tried/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r deploy/requirements.txt
	dist/tried/bin/python -m pip install --quiet --disable-pip-version-check --no-deps dist/*.whl
	dist/tried/bin/pierule serve --help >/dev/null
	dist/tried/bin/python -m pip uninstall --quiet --yes pip setuptools
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o dist/pierule.cdx.json dist/tried/bin/python
	$(NPM) sbom --silent --omit dev --sbom-format cyclonedx > dist/pierule-page.cdx.json
	rm -rf dist/tried
	@ls -l dist

clean: ## Remove the environment and caches
	rm -rf $(WEB)/node_modules $(WEB)/client/dist server/pierule_server/page clients/python/api $(MANUAL)
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist
	rm -rf tests/bench/out tests/bench/peers/.venv tests/bench/peers/node_modules tests/support/chromium/node_modules
