# make app · make test · make check · make bench
# A machine without an NVIDIA GPU saves gigabytes with the CPU build of torch:
#   make app TORCH_INDEX=https://download.pytorch.org/whl/cpu

PYTHON ?= python3
TORCH_INDEX ?=
PORT ?= 8501
BIN = .venv/bin
TORCH = $(shell grep '^torch==' requirements.txt)

.PHONY: app test check bench clean

app: .venv/app
	$(BIN)/streamlit run app.py --server.port $(PORT)

test: .venv/dev
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

check: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/bench
	$(BIN)/python -m benchmarks.similarity
	$(BIN)/python -m benchmarks.mapped
	$(BIN)/python -m benchmarks.distribution
	$(BIN)/python -m benchmarks.attention
	$(BIN)/python -m benchmarks.latent
	$(BIN)/python -m benchmarks.kv_cache
	$(BIN)/python -m benchmarks.loading
	$(BIN)/python -m benchmarks.load
	$(BIN)/python -m benchmarks.redraw

.venv/app: requirements.txt
	$(PYTHON) -m venv .venv
	$(if $(TORCH_INDEX),$(BIN)/pip install $(TORCH) --index-url $(TORCH_INDEX))
	$(BIN)/pip install -r requirements.txt
	touch $@

.venv/dev: .venv/app requirements-dev.txt
	$(BIN)/pip install -r requirements-dev.txt
	touch $@

.venv/bench: .venv/app requirements-bench.txt
	$(BIN)/pip install -r requirements-bench.txt
	touch $@

clean:
	rm -rf .venv
