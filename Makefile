# make demo: from nothing to a bot that answers.  make test: what must hold.  make test-slow: what takes longer.
PYTHON ?= python3.11
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test test-slow test-models check bench bench-chat models lock clean

$(STAMP): requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

models: $(STAMP)
	$(BIN)/polyrag models fetch

demo: models
	$(BIN)/polyrag demo

test: test-models
	$(BIN)/python -m pytest -m "not slow"

test-slow: test-models
	$(BIN)/python -m pytest -m slow

test-models: $(STAMP)
	$(BIN)/polyrag models fetch multilingual-e5-small qwen2.5-coder-0.5b qwen2.5-coder-1.5b

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: models
	$(BIN)/polyrag bench

bench-chat: $(STAMP)
	$(BIN)/python -m tests.adapters.slack.load_run
	$(BIN)/python -m tests.adapters.discord.load_run

lock:
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe --no-header --no-annotate \
		--extra dev --extra postgres --extra otel -o requirements.lock pyproject.toml
	sed -i -e '/^--/d' -e '1{/^$$/d}' requirements.lock  # where packages come from is the machine's affair

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .polyrag
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
