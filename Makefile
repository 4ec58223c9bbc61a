PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test torture check docs bench sanitize clean

# Everything needed, in an environment of its own. The stamp is remade when what it was made from changes.
$(READY): pyproject.toml CMakeLists.txt $(wildcard cpp/*.cpp cpp/*/*.cpp cpp/*/*.hpp)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev --editable ".[lkh]"
	touch $(READY)

demo: $(READY)
	$(BIN)/python -m examples.demo

test: $(READY)
	$(BIN)/python -m pytest

# The same tests as in tests/torture of the suite, for long and with other random numbers every time: about an hour.
torture: $(READY)
	CEPS_TORTURE=1 $(BIN)/python -m pytest tests/torture

check: $(READY) docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m build --outdir build/dist .

# The site of the documentation, in build/docs; the list of all settings is made from the code first.
docs: $(READY)
	$(BIN)/python -m ceps.settings_reference docs/settings.md
	$(BIN)/python -m sphinx -W --keep-going --quiet -b html -d build/doctrees docs build/docs

bench: $(READY)
	$(BIN)/python -m benchmarks.overhead

# The native solvers on small instances, under the address and undefined-behaviour sanitizers.
SANITIZE := $(CXX) -std=c++20 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all -Icpp
sanitize: build/sanitize/coga build/sanitize/eax
	build/sanitize/coga
	build/sanitize/eax

build/sanitize/%: $(wildcard cpp/*/*.cpp cpp/*/*.hpp)
	mkdir -p build/sanitize
	$(SANITIZE) $(filter-out cpp/$*/binding.cpp,$(wildcard cpp/$*/*.cpp)) -o $@

clean:
	rm -rf $(VENV) build dist demo
