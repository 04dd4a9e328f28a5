# Everything that is done with this tree. `make` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help test environments lint rust parquet python clusters judge gallery docs docs-python transcripts bench examples reproduce reproduce-quick wheel stranger publish-check deny semver
SHELL := /bin/bash
VENV := .venv
PY := $(VENV)/bin/python

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

# Environments are installed while Rust compiles, which leaves a core idle now and then.
test: ## All lints and tests, Rust and Python; installs what they need
	$(MAKE) environments & installing=$$!; $(MAKE) lint rust && wait $$installing
	$(MAKE) python reproduce-quick

environments: $(PY)
	bench/venv true

lint: ## Format, clippy and documentation, warnings are errors
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings
	cargo clippy --release --package proxsplit --no-default-features --lib -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps --quiet

rust: ## Unit, integration and documentation tests; the random cases are the same every time
	PROPTEST_RNG_SEED=1 cargo test --release --workspace --quiet --tests
	cargo test --release --workspace --quiet --doc

parquet: ## Lints and tests of the feature parquet, which is off by default
	cargo clippy --release --package proxsplit-io --package proxsplit-cli --features parquet --all-targets -- -D warnings
	PROPTEST_RNG_SEED=1 cargo test --release --quiet --package proxsplit-io --package proxsplit-cli --features parquet --lib --test files --test cli -- parquet reading

$(PY): crates/proxsplit-py/requirements-test.txt
	python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet -r $<
	touch $@

clusters: $(PY) ## Only the tests of factorizations on Dask and MPI, which `python` has too
	$(PY) -m pip install --quiet ./crates/proxsplit-py
	$(PY) -m pytest -q crates/proxsplit-py/tests/test_dask.py crates/proxsplit-py/tests/test_dask_inputs.py crates/proxsplit-py/tests/test_mpi.py

python: $(PY) examples ## Install the Python package in .venv and test it
	$(PY) -m pip install --quiet ./crates/proxsplit-py
	$(PY) -m pytest -q -n 2 --dist loadfile crates/proxsplit-py/tests
	$(PY) -m unittest discover --start-directory fuzz/judge/tests --top-level-directory .
	$(PY) -m fuzz.judge recipes
	$(PY) -m fuzz.judge run --seed 1 --count 45
	$(PY) -m fuzz.judge run --seed 1 --count 10 --only large

SEED := 0
COUNT := 200
judge: $(PY) ## Random runs whose every statement is computed again in NumPy: make judge COUNT=1000 SEED=3
	cargo build --release --quiet --bin proxsplit
	$(PY) -m pip install --quiet ./crates/proxsplit-py
	$(PY) -m unittest discover --start-directory fuzz/judge/tests --top-level-directory .
	$(PY) -m fuzz.judge recipes
	$(PY) -m fuzz.judge run --seed $(SEED) --count $(COUNT)
	$(PY) -m fuzz.judge run --seed $(SEED) --count $(COUNT) --only large

transcripts: ## Run the commands of the book again and write what they print into its pages
	PROXSPLIT_BOOK=write cargo test --release --quiet -p proxsplit-cli --test cli book::transcripts

gallery: $(PY) ## Make the pictures of the book's gallery again
	for example in $$(ls crates/proxsplit-py/examples/*.py | grep -v -e gallery.py -e torch); do $(PY) $$example || exit 1; done

DOCS := .venv-docs
$(DOCS)/bin/python:
	python3 -m venv $(DOCS)
	$(DOCS)/bin/pip install --quiet --upgrade pip latex2mathml pdoc

docs: $(DOCS)/bin/python ## Build the book in docs/book (installs mdbook if it is missing)
	command -v mdbook >/dev/null || cargo install mdbook --locked --quiet
	mdbook build docs

docs-python: $(DOCS)/bin/python ## The reference of the Python package in docs/book/python, by pdoc
	$(DOCS)/bin/pip install --quiet ./crates/proxsplit-py
	$(DOCS)/bin/pdoc --docformat numpy --output-directory docs/book/python proxsplit

bench: ## Race against the peers and write the tables (installs them in .venv-bench)
	bench/run

# Examples have the dependencies of tests, so that what these have built is used again; the program alone would be built with fewer features.
examples:
	cargo build --release --quiet --workspace --bins --example error_floor --example theory

reproduce: examples ## The paper's experiments beside the peers: docs/src/experiments and target/reproduce.html; says how long it takes, and goes on after an interruption
	bench/venv --peers python -m experiments
	bench/venv python -m experiments.verify

reproduce-quick: examples ## The same on small generated data, as a test of the experiments
	bench/venv python -m experiments --quick --fresh
	bench/venv python -m experiments.verify --quick
	bench/venv python -m unittest discover --start-directory bench/tests --top-level-directory .

WHEEL := .venv-wheel
$(WHEEL)/bin/python:
	python3 -m venv $(WHEEL)
	$(WHEEL)/bin/pip install --quiet --upgrade pip "maturin[zig]>=1.9,<2" abi3audit twine

wheel: $(WHEEL)/bin/python ## Build a manylinux wheel in dist, audit it, and try it in a clean environment
	rm -rf dist .venv-clean
	PATH="$$PWD/$(WHEEL)/bin:$$PATH" maturin build --release --quiet --manifest-path crates/proxsplit-py/Cargo.toml --zig --compatibility manylinux2014 --out dist
	$(WHEEL)/bin/abi3audit --strict dist/*.whl
	$(WHEEL)/bin/twine check --strict dist/*
	python3 -m venv .venv-clean
	.venv-clean/bin/pip install --quiet dist/*.whl
	cd dist && ../.venv-clean/bin/python -c "import numpy, proxsplit; print(proxsplit.NMF(3).fit(numpy.random.default_rng(0).random((20, 10))).certificate_)"

STRANGER := target/stranger
stranger: wheel ## The path of a newcomer: a fresh clone, the README's first commands, then the wheel on a csv, an .h5ad and a 10x .h5
	rm -rf $(STRANGER)
	git clone --quiet --no-local . $(STRANGER)/clone
	cd $(STRANGER)/clone && cargo install --quiet --path crates/proxsplit-cli --root ../installed
	cd $(STRANGER)/clone && ../installed/bin/proxsplit factorize swimmer --rank 17 --seed 1 --report --out swimmer-demo
	.venv-clean/bin/pip install --quiet anndata h5py pandas
	.venv-clean/bin/python crates/proxsplit-py/tests/stranger.py $(STRANGER)/installed/bin/proxsplit $(STRANGER)/data

publish-check: ## What publishing the crates would do
	cargo publish --dry-run --workspace --allow-dirty

deny: ## Licences and sources of all dependencies (installs cargo-deny if it is missing)
	command -v cargo-deny >/dev/null || cargo install cargo-deny --locked --quiet
	cargo deny check licenses bans sources

semver: ## Whether the public interface keeps its promises since the last tag (installs cargo-semver-checks if it is missing)
	@tag=$$(git describe --tags --abbrev=0 2>/dev/null); \
	if [ -z "$$tag" ]; then echo "no tag yet, so there is no released interface to compare with"; exit 0; fi; \
	command -v cargo-semver-checks >/dev/null || cargo install cargo-semver-checks --locked --quiet; \
	cargo semver-checks --workspace --exclude proxsplit-py --baseline-rev "$$tag"
