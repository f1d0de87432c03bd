# Every target works in a virtual environment with the extra "dev": pip install -e ".[dev]"
PYTHON ?= python
SOURCES = tui_agent tests
COVERING = tests/context tests/core tests/archive tests/model/test_wire.py tests/ui/test_safe_text.py \
	tests/agent/test_compaction.py tests/agent/test_replays.py tests/agent/test_imports.py

.PHONY: check format lint types layers test coverage mutants bench bench-peers snapshots docs texts demo run build ci

check: format lint types layers test  ## everything that must be green before a commit

format:  ## whether everything is formatted
	ruff format --check $(SOURCES)

lint:
	ruff check $(SOURCES)

types:
	$(PYTHON) -m mypy

layers:
	lint-imports

test:
	$(PYTHON) -m pytest -q -n 2

coverage:  ## every branch of what context, summaries, wire and archive are made by
	$(PYTHON) -m pytest -q -m "not slow" --cov --cov-report=term $(COVERING)

mutants:  ## changes that code in small ways, each of which a test must notice, in a copy; MUTANTS="context/fold --sample 60"
	nice -n 19 $(PYTHON) -m tests.mutation $(MUTANTS)

bench:  ## the figures with their goals in one table; BENCH="--only start keys --json figures.json"
	$(PYTHON) -m tests.benchmarks $(BENCH)

bench-peers:  ## other chat programs beside this one, each installed by itself; BENCH="--only tui-agent vibe --rounds 3"
	$(PYTHON) -m tests.benchmarks.peers $(BENCH)

snapshots:  ## draws the pictures of the screens again; look at them before committing
	$(PYTHON) -m pytest -q tests/ui --snapshot-update

docs:  ## writes the tables of keys, commands and settings into the README
	$(PYTHON) -m tests.readme_tables

texts:  ## brings the catalogue of the Chinese interface up to the source and compiles it
	$(PYTHON) -m tests.texts

demo:  ## acts the README's moving picture out again
	$(PYTHON) -m tests.demo

run:  ## the program from the checkout
	$(PYTHON) -m tui_agent

build:  ## the wheel
	$(PYTHON) -m pip wheel --no-deps --wheel-dir dist .

ci:  ## what the build machine runs: clean environments, tests, wheel, the installed program
	.ci/run
