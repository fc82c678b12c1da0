# Everything needed to set up, run and check the project. `make help` lists the targets.
# OHB_PORT=8001 make demo, ARGS="-k upload" make test: variables come from the environment.

PY := .venv/bin/python
TEST_SETTINGS := DJANGO_SETTINGS_MODULE=tests.settings
SOURCES := leaderboard evaluator submissions scripts tests manage.py

.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint format types layers migrations bench faults mutants freeze clean

help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  make %-14s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Make the environment (.venv, .venv-hypium, Node.js, .env); quick when nothing changed
	@sh scripts/python.sh -m scripts.setup

demo: setup ## Run site and worker on OHB_PORT (8000), with v1.0, the proved demo tasks and evaluated samples
	@$(PY) -m scripts.demo

test: setup ## Run every test that this machine can run, and say which it could not
	@$(PY) -m scripts.harbor
	@$(PY) -m pytest -n auto --dist worksteal $(ARGS)

check: lint types layers migrations test ## Everything a change has to pass

lint: setup ## Formatting and lint rules
	@$(PY) -m ruff format --check $(SOURCES)
	@$(PY) -m ruff check $(SOURCES)

format: setup ## Format the code and mend what ruff can mend
	@$(PY) -m ruff check --fix $(SOURCES)
	@$(PY) -m ruff format $(SOURCES)

types: setup ## Static types
	@OHB_DEBUG=1 $(PY) -m mypy -p leaderboard -p evaluator -p submissions -p scripts

layers: setup ## Imports point downwards only
	@.venv/bin/lint-imports

migrations: setup ## The models have no change without a migration
	@$(TEST_SETTINGS) $(PY) manage.py check --fail-level WARNING
	@$(TEST_SETTINGS) $(PY) manage.py makemigrations --check --dry-run

bench: setup ## Measure pages, API and writing at 8 to 10,000 evaluations
	@$(PY) -m tests.benchmarks.report $(ARGS)

faults: setup ## Kill workers, brokers and databases at every stage and count what survives
	@$(PY) -m tests.evaluator.faults.report --kills 50 $(ARGS)

mutants: setup ## Break the demo's apps in every known way and count what the simulated build refuses
	@$(PY) -m tests.evaluator.simulator.mutation $(ARGS)

freeze: setup ## Write the versions of .venv to constraints.txt
	@$(PY) -m scripts.freeze

clean: ## Remove environments and caches; data in var/ and the .env file stay
	rm -rf .venv .venv-hypium .venv-harbor evaluator/*/node_modules *.egg-info build
	rm -rf .mypy_cache .ruff_cache .import_linter_cache .hypothesis var/staticfiles var/log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
