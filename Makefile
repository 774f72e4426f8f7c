# Everything starts from a machine with Python 3.11 and make alone.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup setup-train demo test lint types score bench train rules-report readme pictures clean

$(VENV)/.ready: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 is needed: set PYTHON=/path/to/python3.11"; exit 1; }
	@sh docs/debian-packages.sh runtime
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]'
	@touch $@

setup: $(VENV)/.ready

# pip takes torch before ultralytics can ask for another build of it.
$(VENV)/.ready-train: $(VENV)/.ready
	@sh docs/debian-packages.sh train
	$(BIN)/pip install -q -c constraints.txt torch==2.14.1 torchvision==0.29.1
	$(BIN)/pip install -q -c constraints.txt -e '.[dev,train]'
	@touch $@

setup-train: $(VENV)/.ready-train

demo: setup
	$(BIN)/paizhuo demo

test: setup
	@sh docs/debian-packages.sh synth
	$(BIN)/pytest -q

lint: setup
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: setup
	$(BIN)/mypy

score: setup
	$(BIN)/paizhuo score

bench: setup
	$(BIN)/paizhuo bench read
	$(BIN)/paizhuo bench rules

rules-report: setup
	$(BIN)/python tests/rules_report.py

train: setup-train
	$(BIN)/python -m models.train $(if $(SMALL),--small)

readme: setup
	$(BIN)/python docs/readme.py

pictures: setup
	@sh docs/debian-packages.sh pictures
	$(BIN)/python docs/pictures.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache runs
