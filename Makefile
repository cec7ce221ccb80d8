# `make help` lists what there is. VENV=DIR uses another environment, PYTHON=python3.12 another interpreter.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq --constraint constraints.txt
RUN_STAMP := $(VENV)/.frontrow
DEV_STAMP := $(VENV)/.frontrow-dev

.DEFAULT_GOAL := help
.PHONY: help demo test slow nojit lint format types bench wheel install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(RUN_STAMP) ## install what is missing and count 16-queens
	@echo '$$ frontrow count queens 16'
	@$(BIN)/frontrow count queens 16
	@printf '%s\n' '' 'Try next:' \
	    '  $(BIN)/frontrow count queens 20           ten seconds on two cores: Ctrl-C stops it, the same command goes on' \
	    '  $(BIN)/frontrow count queens 8 fixed=0    completions of a board with a queen in a corner' \
	    '  $(BIN)/frontrow count queens 18 --ray     a count by Ray workers on this machine' \
	    '  $(BIN)/frontrow jobs                      what has been counted so far' \
	    '  $(BIN)/frontrow --help                    everything else'

test: $(DEV_STAMP) ## run the whole normal test suite
	$(BIN)/python -m pytest -q

slow: $(DEV_STAMP) ## run the tests that take minutes
	$(BIN)/python -m pytest -q -m slow

nojit: $(DEV_STAMP) ## run the tests of search without compiled kernels, on small cases
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q tests/search

lint: $(DEV_STAMP) ## check style, format and import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cd .types && $(abspath $(BIN))/lint-imports --no-logo --no-cache ../pyproject.toml

format: $(DEV_STAMP) ## format the sources and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(DEV_STAMP) ## check types with mypy and pyright
	$(BIN)/mypy
	$(BIN)/pyright --project pyproject.toml --pythonpath $(BIN)/python

bench: $(DEV_STAMP) ## print the table of queens benchmarks (minutes)
	$(BIN)/python -m benchmarks.queens

wheel: $(DEV_STAMP) ## build the source archive and, from it, the wheel into dist/
	rm -rf build dist
	mkdir -p build
	$(BIN)/python -m build --outdir dist . > build/log 2>&1 || { cat build/log; exit 1; }
	@ls dist

install: $(DEV_STAMP) ## make the environment with everything that development needs

clean: ## remove the environment, builds and caches (never the ledger)
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || { \
	    found=$$($(PYTHON) --version 2> /dev/null || echo 'no $(PYTHON)'); \
	    echo "Python: found $$found, expected 3.11 or newer; another one: make PYTHON=python3.12" >&2; exit 1; }
	@echo 'Making $(VENV) ...'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(RUN_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing Frontrow and what it needs into $(VENV) (about a minute) ...'
	@$(PIP) --editable .
	@touch $@

$(DEV_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing Frontrow with its development tools into $(VENV) (about a minute) ...'
	@$(PIP) --editable '.[dev]'
	@touch $@ $(RUN_STAMP)
