# make demo       the examples measured, on a machine with nothing but Python 3.11 or later
# make test       style, types and tests, on all cores
# make test-full  the same with large random samples, which takes several times as long
# make test-shared  only the tests that read ../shared/data, if it is there
# make fuzz       every reader on mutated files, so many SECONDS each
# make test-frameworks  the chunks of LangChain, LlamaIndex, Haystack and Chonkie, and what the clients of Qdrant, Chroma,
#                 LanceDB and FAISS return, as far as these can be installed
# make test-spark  evaluation on Apache Spark, where Spark and Java 17 can be installed
# make test-extras  each extra of the package in an environment of its own, or only some: EXTRAS=spark
# make tape BASE=v1  records what the tests of a commit ask of Assay from outside, and what it answers
# make replay     asks the same of the sources here, and shows what they answer otherwise; NUMBERS=--numbers lets words differ
# make docs       the generated pages of docs/, and its pictures of charts
# make site       the documentation as a site, in build/site
# make release    wheel and sdist in dist/, checked, and the wheel tried on each Python that is there; nothing is published
# make clean      all that the others made

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# a module's tests run in one process, so that there is one browser and what a module makes is made once
ON_ALL_CORES := --numprocesses auto --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-full test-shared fuzz test-frameworks test-spark test-extras tape replay browser java docs site release clean

demo: .venv/installed
	$(BIN)/assay evaluate examples/judgments.qrels examples/*.run --as text
	@echo
	$(BIN)/assay evaluate examples/judgments.qrels examples/*.run -m AP -m RR --per-topic --quiet --as text
	@echo
	$(BIN)/assay evaluate examples/focused/highlights.qrels examples/focused/passages.run examples/focused/elements.run \
	--documents examples/focused/documents -m AiP -m P@1 -m R -m "AP(unit=document)" --as text
	@echo
	$(BIN)/assay evaluate examples/chunks/gold.jsonl examples/chunks/bm25-*.jsonl -m "Success(unit=document)@5" -m R@5 -m "R(chars=1000)" --as text
	@echo
	$(BIN)/assay ceiling examples/chunks/gold.jsonl examples/chunks/chunks-400.jsonl examples/chunks/bm25-400.jsonl -m R@5 --as text

# tests start Python dozens of times, which is quicker where it may keep what it has compiled
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/installed-dev browser
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest $(ON_ALL_CORES)

test-full: export ASSAY_TESTS = full
test-full: test

test-shared: .venv/installed-dev
	@if [ -d ../shared/data ]; then $(BIN)/pytest $(ON_ALL_CORES) -m shared; \
	else echo "../shared/data is missing: the tests that read it do not run"; fi

SECONDS ?= 10
fuzz: .venv/installed-dev
	ASSAY_FUZZ_SECONDS=$(SECONDS) $(BIN)/pytest tests/test_fuzz.py

# Where a framework or a client cannot be installed, or not in time, its tests say so and are skipped.
test-frameworks: .venv/installed-frameworks .venv/installed-clients
	$(BIN)/pytest tests/frameworks -rs

# The extra is tested with nothing else but what runs tests, as other extras bring what it may lack. Where Spark or Java
# cannot be installed, or not in time, that is said.
test-spark: export ASSAY_SPARK = 1
test-spark: .venv-spark/installed java
	@if [ -f $< ]; then .venv-spark/bin/pytest tests/spark -rs; else echo "no Spark: its tests do not run"; fi

# What another extra brings hides what one lacks, so that each is installed alone; what cannot be installed is passed over.
EXTRAS ?=
test-extras: java
	$(PYTHON) tests/extras.py $(EXTRAS)

java:
	@command -v java >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive timeout 150 apt-get install -y -qq openjdk-17-jre-headless >/dev/null; } || \
	echo "no Java 17: the tests with Spark are skipped"

# The report is tested in Debian's chromium; where it cannot be installed, those tests say so and are skipped.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver >/dev/null; } || \
	echo "no chromium: the tests of the report in a browser are skipped"

BASE ?= HEAD
TAPE ?= .tape
tape: .venv/installed-dev
	rm -rf .tape
	mkdir .tape
	[ ! -d ../shared ] || ln -s ../../shared .tape/shared
	git worktree prune
	git worktree add --quiet --detach .tape/base $(BASE)
	-cd .tape/base && CI=true PYTHONHASHSEED=0 ASSAY_TAPE=$(CURDIR)/.tape PYTHONPATH=$(CURDIR)/.tape/base/src:$(CURDIR)/tests/tape \
	$(CURDIR)/$(BIN)/python -m pytest $(ON_ALL_CORES) -p record
	PYTHONPATH=$(CURDIR)/.tape/base/src $(BIN)/python tests/tape/replay.py .tape --base
	git worktree remove --force .tape/base

replay: .venv/installed-dev
	PYTHONPATH=$(CURDIR)/src $(BIN)/python tests/tape/replay.py $(TAPE) $(NUMBERS)

docs: .venv/installed
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/draw.py

# Warnings are errors: a link that leads nowhere, a page that no other page lists.
site: .venv/installed-dev
	$(BIN)/python docs/generate.py --check
	rm -rf build/site
	$(BIN)/python -m sphinx -q -W --keep-going -n -b html docs build/site
	@echo "open build/site/index.html"

# RELEASE_PYTHONS="python3.12 /opt/bin/python3.14" tries others than those on the PATH.
RELEASE_PYTHONS ?=
release: $(BIN)/python
	$(BIN)/python tests/release.py $(RELEASE_PYTHONS)

clean:
	rm -rf .venv .venv-spark .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
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

.venv/installed-frameworks: pyproject.toml .venv/installed-dev
	@timeout 150 $(PIP) --editable '.[frameworks]' && touch $@ || echo "not all frameworks could be installed: see what is skipped"

.venv/installed-clients: pyproject.toml .venv/installed-dev
	@timeout 60 $(PIP) --editable '.[clients]' && touch $@ || echo "not all clients could be installed: see what is skipped"

.venv-spark/installed: pyproject.toml
	$(PYTHON) -m venv .venv-spark
	@timeout 240 .venv-spark/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[spark]' \
	pytest pytest-xdist hypothesis && touch $@ || true
