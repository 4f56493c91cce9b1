# commonplace: everything starts here. `make` or `make help` lists the targets.
# Needs Python 3.11 or newer and make; nothing else is installed outside .venv.

PYTHON ?= python3
JOBS   ?= 2
ARGS   ?=

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip --disable-pip-version-check -q -q
LOCK  = $(VENV)/lock/bin/uv pip compile -q --upgrade --universal --python-version 3.11 --fork-strategy fewest \
        --no-deps --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
        --custom-compile-command "make lock"

export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test test-quick fuzz hostile lint fix bench eval conformance interop docs dist wheels installs lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.package ## Create .venv and install the server into it, without starting it
	@printf '%-60s # %s\n' \
	  '$(BIN)/commonplace add "Staging listens on port 8080."' 'remember something, then recall it' \
	  '$(BIN)/commonplace connect' 'plug in your editor or assistant' \
	  'make run' 'or serve it on 127.0.0.1:8888'

run: $(VENV)/.package ## Set up if needed and start the server (ARGS="..." are passed on)
	@exec $(BIN)/commonplace serve $(ARGS)

test: lint $(VENV)/.browser ## Set up if needed, run lint and then the tests (ARGS="-k name" narrows the tests)
	@echo "pytest" >&2
	@$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

test-quick: $(VENV)/.package $(VENV)/.dev ## Run the tests that start no process and take no time, in under a minute
	@$(BIN)/python -m pytest -n $(JOBS) -m "not kills and not servers and not slow" $(ARGS)

fuzz: $(VENV)/.package $(VENV)/.dev ## Run the property tests on examples that no run has seen (ARGS are passed on)
	@$(BIN)/python -m pytest -n $(JOBS) --hypothesis-profile=searching -m hypothesis $(ARGS)

hostile: $(VENV)/.package $(VENV)/.dev ## Give every tool hostile texts up to the limit (hours; ARGS="--only retain" narrows)
	@$(BIN)/python -m tests.hostile.sweep $(ARGS)

lint: $(VENV)/.package $(VENV)/.dev ## Check style, formatting and types (ruff, pyright strict)
	@echo "ruff check, ruff format --check, pyright" >&2
	@$(BIN)/ruff check -q
	@$(BIN)/ruff format -q --check
	@$(BIN)/pyright

fix: $(VENV)/.package $(VENV)/.dev ## Apply ruff's safe fixes and format the code
	@$(BIN)/ruff check --fix --exit-zero
	@$(BIN)/ruff format

bench: $(VENV)/.package ## Measure speed and size (evals.bench; ARGS are passed on)
	@$(BIN)/python -m evals.bench $(ARGS)

eval: $(VENV)/.package ## Measure the quality of what is remembered and found (evals; ARGS are passed on)
	@$(BIN)/python -m evals $(ARGS)

conformance: $(VENV)/.package $(VENV)/.dev ## Run the protocol's conformance suite on every dialect (ARGS are passed on)
	@$(BIN)/python -m interop.conformance $(ARGS)

interop: $(VENV)/.package $(VENV)/.dev ## Try real clients and agents, offline (ARGS="--only Codex" narrows)
	@$(BIN)/python -m interop $(ARGS)
	@$(BIN)/python -m interop.programs

docs: $(VENV)/.package $(VENV)/.browser ## Regenerate the reference documentation and the screenshots
	@$(BIN)/python scripts/reference.py
	@$(BIN)/python scripts/connect_page.py
	@$(BIN)/python scripts/one_memory.py
	@$(BIN)/python scripts/answer_sizes.py
	@$(BIN)/python scripts/page_shots.py
	@$(BIN)/python scripts/code_figures.py
	@$(BIN)/python scripts/plugins.py

dist: $(VENV)/.package ## Build the wheel and the source archive into dist/
	@$(BIN)/python scripts/distributions.py dist

wheels: $(VENV)/.package $(VENV)/.dev ## Check that each dependency has a wheel for each Python and platform (needs the network)
	@$(BIN)/python scripts/wheels.py $(ARGS)

installs: $(VENV)/.package $(VENV)/.dev ## Install the wheel with pip on every Python that is found, and use it (needs the network)
	@$(BIN)/python -m interop.installs

lock: $(VENV)/lock/bin/uv ## Move every pinned dependency to its newest version and rewrite the hashes
	@for list in requirements requirements-dev; do \
	  echo "locking $$list.txt" >&2; $(LOCK) -o $$list.txt $$list.in || exit 1; done

clean: ## Remove .venv, caches and build output
	@rm -rf $(VENV) build dist interop/out .pytest_cache .ruff_cache .hypothesis
	@find src tests evals scripts -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Setting up. Each step leaves a stamp and is skipped until its inputs change; a
# changed runtime list starts from an empty .venv, so that nothing old stays behind.

define check-python
	@command -v $(PYTHON) >/dev/null || { \
	  echo "commonplace needs Python 3.11 or newer, and there is no '$(PYTHON)' on this machine's PATH." >&2; \
	  echo "Install Python, or name the one to use: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "commonplace needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) -V 2>&1)." >&2; \
	  echo "Install a newer one, or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "This Python ('$(PYTHON)') cannot make virtual environments: its venv or ensurepip module is missing." >&2; \
	  echo "On Debian or Ubuntu: sudo apt install python3-venv; elsewhere install Python with pip included." >&2; exit 1; }
endef

$(VENV)/.deps: requirements.txt
	$(check-python)
	@echo "Setting up $(VENV): fetching the pinned packages, once (about 50 MB)" >&2
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --no-deps --require-hashes -r requirements.txt
	@touch $@

$(VENV)/.package: pyproject.toml $(VENV)/.deps
	@echo "Installing commonplace into $(VENV)" >&2
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.deps | $(VENV)/.package
	@echo "Fetching the development tools into $(VENV), once (about 80 MB)" >&2
	@$(PIP) install --no-deps --require-hashes -r requirements-dev.txt
	@touch $@

$(VENV)/.browser: scripts/browser.py $(VENV)/.dev
	@echo "Looking for a browser for the tests of the pages, or fetching one, once (about 70 MB)" >&2
	@$(BIN)/python scripts/browser.py
	@touch $@

$(VENV)/lock/bin/uv:
	$(check-python)
	@echo "Fetching uv, which writes the hashed lists" >&2
	@$(PYTHON) -m venv $(VENV)/lock
	@$(VENV)/lock/bin/python -m pip --disable-pip-version-check -q -q install uv==0.13.7
