# `make quickstart` and `make test` are all that a newcomer needs; each sets up .venv first (setup.sh), once.
# ARGS are handed on:  make test ARGS="tests/test_config.py -x"     make quickstart ARGS="--set seed=1"
SHELL := /bin/bash
VENV ?= .venv
ARGS ?=
export OMP_NUM_THREADS ?= 1

.PHONY: help quickstart test test-slow lint types benchmark set-up clean

help:
	@echo "make quickstart  train and evaluate the tiny model; about ten minutes on two cores"
	@echo "make test        the tests; test-slow: those that take minutes"
	@echo "make lint        ruff and, over the built wheel, mypy"
	@echo "make benchmark   the speed of the renderer and the environments"
	@echo "make set-up      only make .venv;  make clean: remove it and what tools left behind"

set-up:
	@VENV="$(VENV)" bash setup.sh

# The C library's allocator gives large buffers back to the system at once and asks for them again at every step; keeping
# them halves the time that the kernel spends on the training. It changes no result.
quickstart: export MALLOC_MMAP_THRESHOLD_ ?= 33554432
quickstart: export MALLOC_TRIM_THRESHOLD_ ?= 4294967296
quickstart: export MALLOC_TOP_PAD_ ?= 67108864
quickstart: set-up
	"$(VENV)/bin/designgym" train quickstart $(ARGS)

test: set-up
	"$(VENV)/bin/pytest" $(ARGS)

test-slow: set-up
	"$(VENV)/bin/pytest" -m slow $(ARGS)

lint: set-up
	"$(VENV)/bin/ruff" check .
	@$(MAKE) --no-print-directory types

# Type checkers do not see an editable mapping, so mypy reads the package as a user would get it: unpacked from the wheel.
types: set-up
	@work=$$(mktemp -d) && trap 'rm -rf "$$work"' EXIT && \
	"$(VENV)/bin/python" -m build --no-isolation --outdir "$$work" . > "$$work/log" 2>&1 || { cat "$$work/log"; exit 1; } && \
	"$(VENV)/bin/python" -m pip install --quiet --no-deps --disable-pip-version-check --no-index --target "$$work/site" "$$work"/*.whl && \
	MYPYPATH="$$work/site" "$(VENV)/bin/mypy" --config-file pyproject.toml --cache-dir "$$work/cache" -p designgym

benchmark: set-up
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; "$(VENV)/bin/python" "$$script" $(ARGS); done

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
