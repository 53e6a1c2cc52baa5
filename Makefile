# make demo   train an agent on HalfCheetah, plot how it learns and film it
# make test   run the tests
# make check  style, types and the quick tests, as before every commit
# Each creates the virtual environment that it needs; nothing has to be installed before.

VENV   ?= .venv
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.10 python3; do $$p -c "" 2>/dev/null && echo $$p && break; done)
EXTRAS ?= test,train,browser,onnx
RUN    ?= runs/demo
TRAIN  ?=
PYTEST ?=
# processes of tests: each takes up to 4 GB
WORKERS ?= 2

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check install -c constraints.txt
# processes that tests start would compile the sources again, each for itself
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check format bench media notebooks site dist clean

demo: $(VENV)/.train
	$(BIN)/mjenv prepare HalfCheetah-v5
	$(BIN)/mjenv train HalfCheetah-v5 --run $(RUN) --overwrite --steps 3e6 --minutes 4 $(TRAIN)
	@echo
	@echo "The agents that come with mjenv (mjenv watch ENV), and the commands that train them:"
	@$(BIN)/mjenv agents

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@echo "types are checked beside the quick tests, and reported after them"
	@$(BIN)/python -m tests.check_types >$(VENV)/types.log 2>&1 & types=$$!; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -q -m "not slow" $(PYTEST); \
	tests=$$?; wait $$types; types=$$?; cat $(VENV)/types.log; exit $$((tests | types))

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

media: $(VENV)/.dev
	PYTHONPATH=. $(BIN)/python docs/media/make.py

notebooks: $(VENV)/.dev
	@$(PIP) -e ".[notebooks]"
	$(BIN)/python docs/notebook.py docs/notebooks/*.ipynb

site: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "build/site/index.html; with search: $(BIN)/python -m http.server -d build/site"

bench: $(VENV)/.test
	$(BIN)/mjenv bench

dist: $(VENV)/.dev
	$(BIN)/python -m build

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache

$(BIN)/python:
	@echo "creating $(VENV) with $(PYTHON)"
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 10) else "make: Python 3.10 or newer is needed; name it with PYTHON=")'
	@$(PYTHON) -m venv $(VENV)

# Asked for first is the CPU build, because the one on PyPI brings gigabytes of CUDA libraries on Linux.
$(VENV)/.torch: constraints.txt | $(BIN)/python
	@echo "installing torch"
	@if [ "$$(uname)" != Linux ]; then $(PIP) torch; \
	elif ! $(PIP) torch==2.13.0+cpu 2>/dev/null; then $(PIP) --index-url https://download.pytorch.org/whl/cpu torch; fi
	@touch $@

# Editable: edits count at once, and only a change of the project file installs again.
$(VENV)/.train: pyproject.toml constraints.txt $(VENV)/.torch
	@echo "installing mjenv and what training needs"
	@$(PIP) -e ".[train]"
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt $(if $(findstring train,$(EXTRAS)),$(VENV)/.torch) | $(BIN)/python
	@echo "installing mjenv[$(EXTRAS)]"
	@$(PIP) -e ".[$(EXTRAS)]"
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(VENV)/.torch
	@echo "installing mjenv and the tools of its developers"
	@$(PIP) -e ".[dev]"
	@touch $@

$(VENV)/.docs: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing mjenv[docs]"
	@$(PIP) -e ".[docs]"
	@touch $@
