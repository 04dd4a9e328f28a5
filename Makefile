# Everything that is done with this tree. `make` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help test lint rust python docs bench reproduce reproduce-quick
SHELL := /bin/bash
VENV := .venv
PY := $(VENV)/bin/python

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

test: lint rust python ## All lints and tests, Rust and Python; installs what they need

lint: ## Format, clippy and documentation, warnings are errors
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps --quiet

rust: ## Unit, integration and documentation tests
	cargo test --release --workspace --quiet

$(PY): crates/proxsplit-py/requirements-test.txt
	python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet -r $<
	touch $@

python: $(PY) ## Install the Python package in .venv and test it
	$(PY) -m pip install --quiet ./crates/proxsplit-py
	$(PY) -m pytest -q crates/proxsplit-py/tests

docs: ## Build the book in docs/book (installs mdbook if it is missing)
	command -v mdbook >/dev/null || cargo install mdbook --locked --quiet
	mdbook build docs

bench: ## Race against the peers and write the tables (installs them in .venv-bench)
	bench/run
