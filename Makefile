# Every target prepares .venv itself. If it exists already, the target starts at once.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
DOCS_STAMP := build/docs-env/.installed
WORKERS ?= 2
# Notebooks and many tests start a Python of their own. It starts faster if Python keeps what it compiled.
export PYTHONDONTWRITEBYTECODE =
# Several workers share the processors. If each also starts threads for linear algebra, these mostly wait
# for one another, and waiting takes processor time.
test test-floors test-long reproduce notebooks: export OPENBLAS_NUM_THREADS = 1

# The tests of formulas and tables, without the slow ones.
QUICK := tests/ground tests/metrics tests/tables tests/definitions tests/splitting tests/working tests/evaluation
SLOW := measure/test_conventions evaluation/test_oracles

.PHONY: help reproduce test test-quick test-long test-package test-floors test-pythons test-browser test-site lab lite lint types bench differential mutants notebooks docs clean

help:
	@echo "make reproduce   run every notebook, and compare published with computed figures"
	@echo "make test        run lint, types, doctests, tests and notebooks"
	@echo "make test-package   test the sdist, the wheel and the README's pip install in empty environments"
	@echo "make test-floors    run the tests with the oldest supported packages, before a release"
	@echo "make test-pythons   run the quick tests with Python 3.11 to 3.14, as far as the machine has them"
	@echo "make test-browser   open the lessons in Chromium, run them and check the pages"
	@echo "make test-site   build the site and test it in Chromium: search, finder, links, pages"
	@echo "make test-quick  run the tests of formulas and tables: a minute"
	@echo "make test-long   run all tests, with many examples and killed processes: hours"
	@echo "make lab         open your copy of the notebooks in JupyterLab"
	@echo "make lite        build a JupyterLite site of the lessons, which run in the browser"
	@echo "make notebooks   execute the notebooks in place, after you changed something"
	@echo "make differential   compare 100,000 random cases per measure with other tools: half an hour"
	@echo "make mutants     run mutation testing: an hour or two on one processor; PROCESSES=2 uses two"
	@echo "make bench       measure time and memory for docs/benchmarks.md and docs/scale.md; QUICK=1 is a short run"
	@echo "make lint | types | docs | clean"

# Python compiles what it imports, so pip need not compile all packages, which takes half of its time.
$(STAMP): pyproject.toml constraints.txt
	@echo "Setting up .venv: about 1.5 GB of packages, a minute or two"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable ".[test,scale,study]"
	@touch $@

reproduce: $(STAMP)
	@$(BIN)/receval reproduce --jobs $(WORKERS)

test: lint types
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# Build the package from its sdist, and test it in empty environments.
test-package: $(STAMP)
	$(BIN)/python -m pytest tests/installed.py

# Before a release: install every package at its lower bound, in a separate environment.
test-floors:
	$(PYTHON) -m venv --clear build/floors
	build/floors/bin/python -m pip install --quiet uv
	build/floors/bin/uv pip install --quiet --python build/floors/bin/python \
		--resolution lowest-direct --compile-bytecode --editable ".[test,scale,study]"
	build/floors/bin/python -m pytest -n $(WORKERS) --dist loadfile README.md receval tests

# Each interpreter gets an environment with the newest packages in build/pythons.
test-pythons:
	$(PYTHON) tests/pythons.py --hypothesis-profile=quick $(SLOW:%=--ignore=tests/%.py) $(QUICK)

# Open the lessons as a student does, in the chromium on the path.
test-browser: $(STAMP)
	@if ! command -v chromium > /dev/null; then \
		echo "There is no chromium on the path: the lessons were not opened."; \
	else \
		$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[browser]" && \
		$(BIN)/python -m pytest -p no:cacheprovider tests/browser.py tests/browser_lite.py; \
	fi

test-quick: $(STAMP)
	$(BIN)/python -m pytest --hypothesis-profile=quick $(SLOW:%=--ignore=tests/%.py) $(QUICK)

# Test the package in empty environments, laws on 20,000 cases each, other tools on 100,000, damaged
# files, and processes that are killed.
test-long: $(STAMP) test-package
	$(BIN)/python -m pytest -n $(WORKERS) -m "" --hypothesis-profile=long tests

lab: $(STAMP)
	$(BIN)/receval lab

# The lessons in the browser, without an installation; any web server can serve the folder.
lite: $(STAMP)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[lite]"
	$(BIN)/python docs/lite.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python -m benchmarks.run $(if $(QUICK),--quick)
	$(if $(QUICK),,for one in streamed significance comparing retrieval online reading starting; do $(BIN)/python -m benchmarks.$$one || exit; done)

differential: $(STAMP)
	cd tests && ../$(BIN)/python -m differential.compare

# mutmut writes the mutants, times the tests and tries a few mutants. tests/mutants.py then tries them
# all. Start from scratch each time, because mutmut keeps its verdicts if only the tests changed.
mutants: $(STAMP)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[mutants]"
	rm -rf mutants
	$(BIN)/mutmut run --max-children 1 "receval.metrics.group.orders.x_members_by_items__*"
	$(BIN)/python tests/mutants.py

notebooks: $(STAMP)
	@$(BIN)/receval reproduce --jobs $(WORKERS) --output notebooks

# The site needs fewer packages than the tests, so it has an environment of its own. The build imports
# few of their modules, so Python compiles only these.
$(DOCS_STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv build/docs-env
	build/docs-env/bin/python -m pip install --quiet --no-compile --constraint constraints.txt --editable ".[docs]"
	@touch $@

docs: $(DOCS_STAMP)
	build/docs-env/bin/sphinx-build -E -W -q -b html docs build/docs
	@echo "open build/docs/index.html"

# Build the site and open it in the chromium on the path: the search, the finder, links and pages.
test-site: docs $(STAMP)
	@if ! command -v chromium > /dev/null; then \
		echo "There is no chromium on the path: the site was not opened."; \
	else \
		$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[browser]" && \
		$(BIN)/python -m pytest -p no:cacheprovider tests/website.py; \
	fi

clean:
	rm -rf .venv build dist mutants
