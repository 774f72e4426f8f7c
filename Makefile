# Everything starts from a machine with Python 3.11 and make alone.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup setup-train demo test lint types score bench bench-live train rules-report readme pictures clean

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
	$(BIN)/pytest -q -n auto

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

# What the numbers of the design are held by; on a machine with nothing else to do.
bench-live: setup
	$(BIN)/paizhuo bench table --deals 20 --seed 7
	$(BIN)/paizhuo bench table --profile shengji-official-2 --deals 5 --seed 7
	$(BIN)/paizhuo bench table --hard --deals 1 --seed 11
	$(BIN)/paizhuo bench idle --minutes 10,60
	$(BIN)/paizhuo bench calibration
	$(BIN)/paizhuo bench cameras
	$(BIN)/paizhuo bench devices
	$(BIN)/paizhuo bench api

rules-report: setup
	$(BIN)/python tests/rules_report.py

train: setup-train
	$(BIN)/python -m models.train $(if $(SMALL),--small)

readme: setup
	$(BIN)/python docs/readme.py

pictures: setup
	@sh docs/debian-packages.sh pictures
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/overlay_pictures.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache runs
