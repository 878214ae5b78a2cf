# make demo             measure the examples; needs only Python 3.11 or later
# make test             check style and types, and run the tests on all cores
# make test-full        the same with large random samples, which takes several times as long
# make test-shared      run only the tests that read ../shared/data, if it exists
# make fuzz             read mutated files with every reader; SECONDS=60 for a minute each
# make test-frameworks  test the chunks of LangChain, LlamaIndex, Haystack and Chonkie, and the results of Qdrant, Chroma,
#                       LanceDB and FAISS, if they can be installed
# make test-spark       test evaluation on Apache Spark, if Spark and Java 17 can be installed
# make test-extras      install each extra alone and test it; EXTRAS=spark for one
# make tape BASE=v1     record the calls that the tests of a commit make, and their results
# make replay           repeat the recorded calls with the sources here, and show what differs; NUMBERS=--numbers
#                       lets words differ
# make docs             write the generated pages of docs/, and draw its charts
# make site             build the documentation as a site, in build/site
# make release          build wheel and sdist in dist/, check them, and try the wheel on each Python; publishes nothing
# make clean            delete everything that the other targets made

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# the tests of a module run in one process, so they share one browser and one set of fixtures
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

# tests start Python dozens of times, which is faster if Python may cache compiled code
test test-shared test-spark: export PYTHONDONTWRITEBYTECODE =
test: .venv/installed-dev browser
	$(BIN)/ruff check .
	@# types are checked while the tests run, and what mypy says is shown after them
	@echo "$(BIN)/mypy beside $(BIN)/pytest $(ON_ALL_CORES)"
	@# and the first time one process compiles the tests, so that the others need not
	@types=$$(mktemp); $(BIN)/mypy >$$types 2>&1 & mypy=$$!; \
	[ -d tests/__pycache__ ] || $(BIN)/pytest --collect-only -qq >/dev/null 2>&1; \
	$(BIN)/pytest $(ON_ALL_CORES); status=$$?; \
	wait $$mypy || status=1; echo mypy:; cat $$types; rm $$types; exit $$status

test-full: export ASSAY_TESTS = full
test-full: test

test-shared: .venv/installed-dev
	@if [ -d ../shared/data ]; then $(BIN)/pytest $(ON_ALL_CORES) -m shared; \
	else echo "../shared/data is missing: the tests that read it do not run"; fi

SECONDS ?= 10
fuzz: .venv/installed-dev
	ASSAY_FUZZ_SECONDS=$(SECONDS) $(BIN)/pytest tests/test_fuzz.py

# If a framework or a client cannot be installed in time, its tests are skipped and say so.
test-frameworks: .venv/installed-frameworks .venv/installed-clients
	$(BIN)/pytest tests/frameworks -rs

# The environment has only this extra and pytest, because other extras could hide a missing dependency.
test-spark: export ASSAY_SPARK = 1
test-spark: .venv-spark/installed java
	@if [ -f $< ]; then .venv-spark/bin/pytest tests/spark -rs; else echo "no Spark: its tests do not run"; fi

# Each extra is installed alone, because another extra could hide a missing dependency. An extra that cannot be installed is skipped.
EXTRAS ?=
test-extras: java
	$(PYTHON) tests/extras.py $(EXTRAS)

java:
	@command -v java >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive timeout 150 apt-get install -y -qq openjdk-17-jre-headless >/dev/null; } || \
	echo "no Java 17: the tests with Spark are skipped"

# Pages are tested in Debian's chromium. If it cannot be installed, those tests are skipped and say so. Its headless
# shell makes them faster, but not every system has it.
APT := DEBIAN_FRONTEND=noninteractive apt-get install -y -qq
browser:
	@command -v chromium-headless-shell >/dev/null && command -v chromedriver >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	$(APT) chromium chromium-driver >/dev/null && { $(APT) chromium-headless-shell >/dev/null 2>&1 || true; }; } || \
	{ command -v chromium >/dev/null && command -v chromedriver >/dev/null; } || \
	echo "no chromium: the tests of pages in a browser are skipped"

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

# Warnings are errors, for example a broken link or a page that no other page lists.
site: .venv/installed-dev
	$(BIN)/python docs/generate.py --check
	rm -rf build/site
	$(BIN)/python -m sphinx -q -W --keep-going -n -b html docs build/site
	@echo "open build/site/index.html"

# RELEASE_PYTHONS="python3.12 /opt/bin/python3.14" names the interpreters to try, instead of those on the PATH.
RELEASE_PYTHONS ?=
release: $(BIN)/python
	$(BIN)/python tests/release.py $(RELEASE_PYTHONS)

clean:
	rm -rf .venv .venv-spark .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -m venv .venv

# The package is installed as a link to src/, so only a change of pyproject.toml needs a new installation.
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
