# make demo    the examples measured, on a machine with nothing but Python 3.11 or later
# make test    style, types and tests
# make docs    the generated pages of docs/
# make clean   all that the others made

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test docs clean

demo: .venv/installed
	$(BIN)/assay evaluate examples/judgments.qrels examples/*.run --as text
	@echo
	$(BIN)/assay evaluate examples/judgments.qrels examples/*.run -m AP -m RR --per-topic --quiet --as text

test: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

docs: .venv/installed
	$(BIN)/python docs/generate.py

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -m venv .venv

# The package is installed as a link to src/, so that only a change of pyproject.toml asks for another installation.
.venv/installed: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@touch $@

.venv/installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]'
	@touch .venv/installed $@
