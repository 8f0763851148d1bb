# Every target prepares .venv itself. If it exists already, the target starts at once.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
DOCS_STAMP := build/docs-env/.installed
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable
WORKERS ?= 2
# Notebooks and many tests start a Python of their own. It starts faster if Python keeps what it compiled.
export PYTHONDONTWRITEBYTECODE =
# Several workers share the processors. If each also starts threads for linear algebra, these mostly wait
# for one another, and waiting takes processor time.
test reproduce notebooks release: export OPENBLAS_NUM_THREADS = 1

# The tests of formulas and tables, without the slow ones.
QUICK := tests/ground tests/metrics tests/tables tests/definitions tests/splitting tests/working tests/evaluation
QUICKLY := --hypothesis-profile=quick --ignore=tests/definitions/test_conventions.py $(QUICK)

.PHONY: help reproduce test test-quick lint docs bench notebooks lab lite release

help:
	@echo "make reproduce   run every notebook, and compare published with computed figures"
	@echo "make test        run lint, types, doctests, tests and notebooks"
	@echo "make test-quick  run the tests of formulas and tables: a minute"
	@echo "make lint        check style and types"
	@echo "make docs        build the site in build/docs"
	@echo "make bench       measure time and memory for docs/benchmarks.md; QUICK=1 is a short run"
	@echo "make notebooks   execute the notebooks in place, after you changed something"
	@echo "make lab         open your copy of the notebooks in JupyterLab"
	@echo "make lite        build a site of walks and lessons that run in the browser"
	@echo "make release     run all checks before a release: an hour or more"

# Python compiles what it imports, so pip need not compile all packages, which takes half of its time.
$(STAMP): pyproject.toml constraints.txt
	@echo "Setting up .venv: about 1.5 GB of packages, a minute or two"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(INSTALL) ".[test,scale,study]"
	@touch $@

reproduce: $(STAMP)
	@$(BIN)/receval reproduce --jobs $(WORKERS)

test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

test-quick: $(STAMP)
	$(BIN)/python -m pytest $(QUICKLY)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site needs fewer packages than the tests, so it has an environment of its own. The build imports
# few of their modules, so Python compiles only these.
$(DOCS_STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv build/docs-env
	build/docs-env/bin/python -m pip install --quiet --no-compile --constraint constraints.txt --editable ".[docs]"
	@touch $@

docs: $(DOCS_STAMP)
	build/docs-env/bin/sphinx-build -E -W -q -b html docs build/docs
	@echo "open build/docs/index.html"

bench: $(STAMP)
	$(BIN)/python -m benchmarks.run $(if $(QUICK),--quick)
	$(if $(QUICK),,for one in streamed significance comparing retrieval online reading starting; do $(BIN)/python -m benchmarks.$$one || exit; done)

notebooks: $(STAMP)
	@$(BIN)/receval reproduce --jobs $(WORKERS) --output notebooks

lab: $(STAMP)
	$(BIN)/receval lab

# Any web server can serve the folder.
lite: $(STAMP)
	$(INSTALL) ".[lite]"
	$(BIN)/python docs/lite.py

# In this order: the tests; sdist and wheel in empty environments; every package at its lower bound;
# the quick tests with Python 3.11 to 3.14, as far as the machine has them; laws on 20,000 cases each,
# other tools on 100,000, damaged files and killed processes; the site and the lessons in the chromium
# on the path.
release: test docs
	$(BIN)/python -m pytest tests/installed.py
	$(PYTHON) -m venv --clear build/floors
	build/floors/bin/python -m pip install --quiet uv
	build/floors/bin/uv pip install --quiet --python build/floors/bin/python \
		--resolution lowest-direct --compile-bytecode --editable ".[test,scale,study]"
	build/floors/bin/python -m pytest -n $(WORKERS) --dist loadfile README.md receval tests
	$(PYTHON) tests/pythons.py $(QUICKLY)
	$(BIN)/python -m pytest -n $(WORKERS) -m "" --hypothesis-profile=long tests
	$(INSTALL) ".[browser]"
	$(BIN)/python -m pytest -p no:cacheprovider tests/browser.py tests/browser_lite.py tests/website.py
