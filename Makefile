# Two commands: `make demo` trains on the bundled game and films it, `make test` runs the checks.
# Both make .venv on first use; nothing is installed outside this folder (`make VENV=elsewhere` installs there).
VENV   := .venv
PYTHON ?= $(firstword $(foreach p,python3 python3.13 python3.12 python3.11 python3.10 python,$(shell $(p) -c 'import sys; sys.version_info >= (3,10) and print("$(p)")' 2>/dev/null)))
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed
export PYTHONNOUSERSITE := 1
export JUPYTER_PLATFORM_DIRS := 1
unexport PYTHONPATH

# a machine lent with its GPU has no .venv: there the python3 that is there, and its PYTHONPATH
PY_GPU ?= $(if $(wildcard $(READY)),$(BIN)/python,python3)

.PHONY: demo test near slow pythons learn release-check gpu lab export docs clean help
help:     ## list the commands
	@grep -hE '^[a-z-]+: .*##' Makefile | sed -E 's/^([a-z-]+):.*## /make \1	/' | expand -t 16

demo: $(READY)     ## train on the bundled game and film the policy, a few minutes; results in runs/demo/
	@$(BIN)/gbxnb demo

test: $(READY)     ## the checks that take minutes: export, lint, types, docs, notebooks, pytest
	@$(BIN)/python tests/tools/run_all.py

near: $(READY)     ## while working: the nearest of what your change can affect, in seconds
	@$(BIN)/python tests/tools/run_all.py --near

slow: $(READY)     ## the checks that need a browser or minutes, and a campaign of damaged input for each format; goes on where it was
	@$(BIN)/python tests/tools/slow.py

pythons: $(READY)     ## does the wheel work with each promised Python, with the lowest and the newest packages? nox fetches them: gigabytes
	@$(BIN)/uv tool run nox

learn: $(READY)     ## does it learn? seeds and controls on CartPole, Catch, the bundled game and Prospector, half an hour; results in runs/learn/
	@for b in cartpole catch catch_a2c game demo_starts prospector; do $(BIN)/gbxnb learn $$b || exit 1; done

release-check: $(READY)     ## list the figures that README and home page quote, with date and commit
	@$(BIN)/python tests/tools/records.py

gpu: export PYTHONPATH := $(PYTHONPATH)
gpu:     ## a smoke run, then measure and check everything on a GPU, in stages; results in runs/gpu/ (STAGES='smoke tests' for some, STAGES='--device cpu --small' to try it without a GPU)
	@$(PY_GPU) tests/measure/gpu.py $(STAGES)

lab: $(READY)     ## open the notebooks in JupyterLab; films and curves that are stored in them are shown at once
	@find nbs -name '*.ipynb' -exec $(BIN)/jupyter trust {} + > /dev/null
	@$(BIN)/jupyter lab nbs

export: $(READY)     ## notebooks -> gbxnb/, its stubs, README.md, sidebar; and clean the notebooks
	@$(BIN)/nbdev_export && $(BIN)/nbdev_clean && $(BIN)/python tests/tools/stubs.py && $(BIN)/python tests/tools/pages.py

docs: $(READY)     ## the site, in _proc/docs/
	@$(BIN)/python tests/tools/docs_pages.py --site

# what a test, a build or an editor leaves; your ROMs, saves and runs/ stay, and so does an environment outside of this folder
clean:     ## remove .venv and what was generated beside it; runs/ stays
	rm -rf .venv .nox _proc _docs build dist htmlcov .coverage .pytest_cache .ruff_cache *.egg-info
	find . -name .git -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints -o -name .hypothesis -o -name .jupyter_cache \) \
	    -prune -exec rm -rf {} +

$(READY): settings.ini setup.py pyproject.toml
	@test -n "$(PYTHON)" || { echo "gbxnb needs Python 3.10 or newer: no python3 of that age is on the PATH (found: $$(python3 --version 2>&1)). Install one, or: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3,10) and "gbxnb needs Python 3.10 or newer, $(PYTHON) is "+sys.version.split()[0])'
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) cannot make virtual environments: install its venv package (Debian, Ubuntu: apt install $$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'))"; exit 1; }
	@echo "[1/2] making $(VENV), once"
	@$(PYTHON) -m venv $(VENV)
	@echo "[2/2] installing gbxnb and what it needs there (torch is large: this takes some minutes)"
	@$(BIN)/python -m pip install -qq --no-input --disable-pip-version-check -e '.[dev]'
	@touch $@
