# What a newcomer runs: `make demo` and `make test`. Everything lands in .venv; nothing else on the machine changes.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow bench lighthouse faults eval pictures docs check lint types contracts web web-types lock clean

PYTHON ?= python3
BIN := .venv/bin
export PYTHON

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## prepare .venv with locked dependencies
	@scripts/setup

demo: setup ## watch five agents at work on the embedded model (downloads 1.1 GB once)
	@$(BIN)/graphwright demo

# Compiled tests are kept for the next run, also where PYTHONDONTWRITEBYTECODE is set.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -rfER -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

# Tests wait for processes that they start: one more worker than processors uses the time.
test: setup ## run the tests (no model is downloaded)
	@$(PYTEST) -n $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )) -m "not slow"

test-slow: setup ## run the tests that start servers, kill processes, or search at length
	@$(PYTEST) -m slow

bench: setup ## measure speed and size, beside other engines, into docs/benchmarks.md (about 7 minutes)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement bench/requirements.lock
	@$(BIN)/python -m bench --page docs/benchmarks.md

lighthouse: setup ## what Lighthouse (from the npm registry) makes of the web app, in Chromium; it fails below 95
	@$(BIN)/python -m bench.lighthouse

faults: setup ## how many one-line faults in the parts that must hold the tests find, and how many branches they take (hours)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement bench/requirements.lock
	@$(BIN)/python -m bench.faults

eval: setup ## what a model (MODEL=openai:..., default: the embedded one, several hours) makes of cases: into docs/evaluation.md
	@$(BIN)/python -m eval --loop $(if $(MODEL),--model $(MODEL))

pictures: setup ## draw the flows of README and examples, and take the screenshots of the web app in Chromium
	@$(BIN)/python scripts/draw_flows.py
	@$(PYTEST) -m slow tests/web
	@cd docs/pictures && for each in *.png; do cp ../../build/pictures/$$each $$each; done

docs: setup ## the documentation as a site, into build/site
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement docs/requirements.lock
	@$(BIN)/python scripts/build_site.py build/site

lint: setup ## style, and the English of comments, docstrings and pages
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/python scripts/check_language.py

types: setup ## static types
	@$(BIN)/mypy

web: setup ## types, format and unit tests of the web app
	@$(BIN)/python scripts/web_types.py --check
	@cd web && PATH="$$PWD/../.venv/bin:$$PATH" npm run --silent check

web-types: setup ## generate the types of the web app from the OpenAPI document of the service
	@$(BIN)/python scripts/web_types.py

contracts: setup ## imports run downwards only
	@$(BIN)/lint-imports

check: lint types contracts web test test-slow ## all of it, as CI does

lock: setup ## resolve the dependencies anew into requirements.lock
	@$(BIN)/uv pip compile packages/*/pyproject.toml pyproject.toml --upgrade --universal --generate-hashes --all-extras --group dev \
	  $(patsubst packages/%,--no-emit-package %,$(wildcard packages/*)) \
	  --python-version 3.11 --no-header --no-annotate --output-file requirements.lock
	@$(BIN)/uv pip compile --upgrade --universal --generate-hashes --group bench --constraint requirements.lock \
	  --python-version 3.11 --no-header --no-annotate --output-file bench/requirements.lock
	@$(BIN)/uv pip compile --upgrade --universal --generate-hashes --group docs --constraint requirements.lock \
	  --python-version 3.11 --no-header --no-annotate --output-file docs/requirements.lock
	@$(BIN)/uv pip compile --upgrade --universal --generate-hashes --group web --constraint requirements.lock \
	  --python-version 3.11 --no-header --no-annotate --output-file web/requirements.lock

clean: ## remove .venv and caches
	@rm -rf .venv web/node_modules web/generator/node_modules packages/graphwright-server/src/graphwright_server/static .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
