# The commands of this project. Each sets up what it still lacks, and says so; a second run sets nothing up again.
#
#   make          set up: .venv/, the package with its compiled part, TensorFlow, the browser's page
#   make demo     record a training that goes wrong, show why, then record the fixed one
#   make demo-torch   the same in PyTorch
#   make test     ruff, mypy and all tests, those of the trace and the analysis on the newest libraries too
#   make check    ruff, mypy, the contracts, and a minute of the tests nearest to what changed: before each commit
#   make page     the browser's page alone
#   make test-oldest   the tests on the oldest TensorFlow that is supported, in an environment of its own
#   make test-newest   the tests on the newest Python, NumPy, pyarrow and TensorFlow that pip gives, likewise
#   make beside   an environment with the libraries that tensordbg works beside: Lightning, Transformers, Accelerate and more
#   make fuzz     damaged traces, captures and logs for every command: CASES=100000, SEED= and FIRST= to go on
#   make sanitize the compiled part's tests under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
#   make lint     ruff, mypy and the checks of the page alone
#   make docs     the manual, in site/
#   make bench    the benchmarks
#   make clean    remove all that was built, .venv/ too

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# A stamp says that its step was done; they lie in the environment, so that they go when it goes.
DONE := $(VENV)/done
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Tells what takes a while, since pip and npm are told to be quiet: $(call tell,text).
tell = @printf 'make: %s\n' '$(1)'
NATIVE := CMakeLists.txt $(wildcard native/*.cpp native/*.h native/*/*.cpp native/*/*.h) src/tensordbg/backends/torch/observer/log_table.h
# Where the demo keeps what it records.
TRACES ?= tdbg-traces/demo

# TensorFlow's own messages at the start say nothing of the demo.
RECORD := TF_CPP_MIN_LOG_LEVEL=2 TF_ENABLE_ONEDNN_OPTS=0 $(BIN)/tdbg run --out $(TRACES)

export PATH := $(CURDIR)/$(BIN):$(PATH)

.NOTPARALLEL:

.PHONY: setup
setup: $(DONE)/package $(DONE)/demo page

# The browser's page is built by Vite, which needs Node. All else works without, so one line says what is missing.
WEB := web
PAGE := src/tensordbg/server/page/index.html
NODE_MODULES := $(WEB)/node_modules/.package-lock.json
NPM := npm --prefix $(WEB) --loglevel=error
HAVE_NODE := $(shell npm --version >/dev/null 2>&1 && node --eval 'const [a, b] = process.versions.node.split("."); \
	if (a > 20 || (a == 20 && b >= 19)) console.log("yes")' 2>/dev/null)

.PHONY: page page-lint page-test
ifeq ($(HAVE_NODE),yes)
page:
	@$(MAKE) --no-print-directory $(PAGE) || \
	echo "make $@: left out, since npm could not build it (see above); all but \`tdbg view\` works without, fix it and make again" >&2

page-lint: $(NODE_MODULES)
	$(NPM) run check --silent

page-test: $(NODE_MODULES)
	$(NPM) test --silent
else
page page-lint page-test:
	@echo "make $@: left out, since it needs npm and Node.js 20.19 or later: install them from nodejs.org" >&2
endif

# What the lock file says, like `npm ci`; that refuses a lock written where packages of other systems were not to be had.
$(NODE_MODULES): $(WEB)/package.json $(WEB)/package-lock.json
	$(call tell,npm packages for the browser page into $(WEB)/node_modules)
	@$(NPM) install --no-save --no-audit --no-fund
	@touch $@

$(PAGE): $(NODE_MODULES) $(wildcard $(WEB)/*.html $(WEB)/*.ts $(WEB)/*.json) $(shell find $(WEB)/src -type f)
	$(call tell,the browser page is built)
	@$(NPM) run build --silent
	@touch $@

# Records a training that goes wrong, tells why, and records the fixed one: $(call demonstrate,its program).
define demonstrate
	@printf '\n%s\n\n' '--- tdbg run $(1): a training that goes wrong, recorded'
	@$(RECORD) $(1)
	@printf '\n%s\n\n' '--- tdbg why: what went wrong, at any later time'
	@$(BIN)/tdbg why $(TRACES)
	@printf '\n%s\n\n' '--- tdbg run $(1) --fixed: the fixed training'
	@$(RECORD) $(1) --fixed
	@$(BIN)/tdbg why $(TRACES)
endef

.PHONY: demo demo-torch
demo: setup
	$(call demonstrate,examples/digits_nan.py)

demo-torch: $(DONE)/package $(DONE)/demo-torch page
	$(call demonstrate,examples/digits_nan_torch.py)

# As many at a time as there are processors; the tests of one file share what they record. In the order of the folders the
# last ones are short, so that no worker waits long for another; xdist would begin with the files of many tests instead.
WORKERS := -n logical --maxprocesses 8 --dist loadfile --no-loadscope-reorder
# Tests start thousands of processes, and each worker reads a thousand files of tests. Where PYTHONDONTWRITEBYTECODE is set, as
# in many containers, all of them would compile ours each time.
export PYTHONDONTWRITEBYTECODE :=
COMPILE := $(BIN)/python -m compileall -q src
# What watches PyTorch, where that is installed: several processes would wait for the one that builds it at its first use.
OBSERVERS := if [ -n "$$($(BIN)/python -c 'from importlib.util import find_spec; print(find_spec("torch") or "")')" ]; then \
	$(BIN)/tdbg build torch >/dev/null; fi
.PHONY: test
test: setup $(DONE)/test beside lint page-test chromium tmux test-newest-reading
	$(call tell,all tests)
	@$(COMPILE)
	@$(OBSERVERS)
	$(BIN)/python -m pytest $(WORKERS) || $(MAKE) --no-print-directory test-again

# For the hand, in two minutes: the tests of what differs from main, nearest first; SECONDS= gives them more time.
SECONDS ?= 60
.PHONY: check
check: lint $(DONE)/test
	$(BIN)/python -m pytest -q $(WORKERS) tests/contracts
	$(BIN)/python -m tests.changed $(SECONDS)

# What failed beside other tests, once more by itself, so that a busy machine is no failure. A real one fails again.
.PHONY: test-again
test-again:
	@echo "make test: once more what failed, by itself; a test that passes now depends on others or on time: fix it" >&2
	$(BIN)/python -m pytest --last-failed --last-failed-no-failures none

# The browser in which the page is tested. Where it can't be brought along, those tests say so again and fail.
.PHONY: chromium
chromium:
	@command -v chromium chromium-browser google-chrome >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	then echo "make: chromium for the tests of the page, by apt-get"; \
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else echo "make $@: the tests of the page need a browser: install chromium (Debian: apt-get install chromium)" >&2; fi

# The terminal in which the full-screen console is tested, likewise.
.PHONY: tmux
tmux:
	@command -v tmux >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	then echo "make: tmux for the tests of the console, by apt-get"; \
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends tmux >/dev/null; \
	else echo "make $@: the tests of the full-screen console need tmux: install it (Debian: apt-get install tmux)" >&2; fi

# TensorFlow 2.16 needs NumPy 1, and that an older pyarrow; its warnings are its own.
OLDEST := build/oldest
.PHONY: test-oldest
test-oldest: $(OLDEST)/done page chromium tmux
	$(OLDEST)/bin/python -m pytest $(WORKERS) -W ignore tests/backends tests/recording tests/e2e tests/analysis tests/trace

$(OLDEST)/done: constraints-oldest.txt pyproject.toml $(NATIVE)
	$(call tell,$(OLDEST)/ with the oldest TensorFlow that is supported)
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(OLDEST)/bin/python -m pip install --quiet --constraint constraints-oldest.txt --group build --group test
	$(OLDEST)/bin/python -m pip install --quiet --constraint constraints-oldest.txt --no-build-isolation --editable .
	@touch $@

# The newest Python that TensorFlow has packages for, wherever it lies, with the newest of all libraries.
NEWEST := build/newest
PYENV := $(or $(PYENV_ROOT),$(HOME)/.pyenv)
PYTHON_NEWEST ?= $(shell for each in python3.13 $(PYENV)/versions/3.13.*/bin/python3.13 python3.12 $(PYENV)/versions/3.12.*/bin/python3.12; \
	do "$$each" -c '' 2>/dev/null && echo "$$each" && break; done)
PYTEST_NEWEST := $(NEWEST)/bin/python -m pytest -o cache_dir=$(NEWEST)/pytest_cache
.PHONY: test-newest test-newest-reading
ifneq ($(PYTHON_NEWEST),)
test-newest: $(NEWEST)/done page chromium tmux
	$(PYTEST_NEWEST) $(WORKERS) || $(PYTEST_NEWEST) --last-failed --last-failed-no-failures none

# What reads traces meets NumPy and pyarrow most, and takes two minutes.
test-newest-reading: $(NEWEST)/done
	$(call tell,the tests of the trace and what reads it on $(shell $(PYTHON_NEWEST) --version) and the newest libraries)
	$(PYTEST_NEWEST) $(WORKERS) --quiet tests/trace tests/analysis tests/wire || \
		$(PYTEST_NEWEST) --last-failed --last-failed-no-failures none
else
test-newest test-newest-reading:
	@echo "make $@: left out, since it needs Python 3.12 or 3.13: install one, or name it by PYTHON_NEWEST=" >&2
endif

$(NEWEST)/done: pyproject.toml $(NATIVE)
	$(call tell,$(NEWEST)/ with $(shell $(PYTHON_NEWEST) --version) and the newest TensorFlow and NumPy: two to four minutes)
	@$(PYTHON_NEWEST) -m venv --clear $(NEWEST)
	@$(NEWEST)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(NEWEST)/bin/python -m pip install --quiet --upgrade --group build --group test
	@$(NEWEST)/bin/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

# Libraries that tensordbg works beside, for the tests that run the real ones; what .venv has is taken from there.
BESIDE := build/beside
.PHONY: beside
beside: $(BESIDE)/done

$(BESIDE)/done: pyproject.toml | $(DONE)/package $(DONE)/test
	$(call tell,$(BESIDE)/ with Lightning and Transformers and more: a minute or two)
	@$(BIN)/python -m venv $(BESIDE)
	@# Its links are followed too, so that tensordbg is found, with its compiled part.
	@$(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir({!r})".format(sysconfig.get_path("purelib")))' \
		> $$($(BESIDE)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/above.pth
	@$(BESIDE)/bin/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1'
	@$(BESIDE)/bin/python -m pip install --quiet --disable-pip-version-check --group beside
	@touch $@

# What fails is kept in build/fuzz, with the line that repeats it.
CASES ?= 100000
.PHONY: fuzz
fuzz: setup $(DONE)/test
	$(BIN)/python -m tests.fuzz --cases $(CASES) $(if $(SEED),--seed $(SEED)) $(if $(FIRST),--first $(FIRST))

# Python itself is not built with sanitizers, so their libraries must be there before it; it frees not all at its end.
SANITIZED := build/sanitize
COMPILER ?= $(shell command -v g++)
RUNTIMES = $(shell $(COMPILER) -print-file-name=libasan.so) $(shell $(COMPILER) -print-file-name=libubsan.so)
.PHONY: sanitize
sanitize: setup $(DONE)/test
	$(BIN)/cmake -S . -B $(SANITIZED) -G Ninja -DTENSORDBG_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DCMAKE_CXX_COMPILER=$(COMPILER) -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
		-Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) --log-level=WARNING
	$(BIN)/cmake --build $(SANITIZED)
	rm -rf $(SANITIZED)/written
	$(SANITIZED)/many_writers $(SANITIZED)/written
	LD_PRELOAD="$(RUNTIMES)" ASAN_OPTIONS=detect_leaks=0 $(BIN)/python -m pytest -p tests.sanitized \
		tests/health tests/recording/test_log.py tests/e2e/test_strings.py \
		$(foreach what,functions/test_instrument.py eager check sessions stops,\
		tests/backends/tensorflow/$(what))

.PHONY: lint
lint: setup $(DONE)/lint page-lint
	$(call tell,ruff and mypy)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.PHONY: docs
docs: $(DONE)/package $(DONE)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

.PHONY: bench
bench: setup $(DONE)/test
	@for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

.PHONY: clean
clean:
	rm -rf $(VENV) build dist site $(WEB)/node_modules $(dir $(PAGE)) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests examples benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

# pip from 25.1 on knows dependency groups.
$(DONE)/venv:
	$(call tell,$(VENV)/ for $(shell $(PYTHON) --version))
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade 'pip>=25.1'
	@mkdir -p $(DONE) && touch $@

HOLDS_build := what builds the compiled part: CMake, Ninja, nanobind
HOLDS_demo := TensorFlow and scikit-learn: a minute or two the first time
HOLDS_demo-torch := PyTorch and scikit-learn: a minute or two the first time
HOLDS_test := what the tests need: pytest, Playwright, pandas, Polars, PyTorch and more
HOLDS_lint := ruff and mypy
HOLDS_docs := MkDocs

# PyPI's PyTorch brings gigabytes for GPUs along on Linux. PyTorch's own index has a build for processors alone: where that can
# be reached, `make TORCH_INDEX=URL` takes it, as pytorch.org tells it.
TORCH_INDEX ?=
INDEX_demo-torch = $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
INDEX_test = $(INDEX_demo-torch)

$(DONE)/build $(DONE)/demo $(DONE)/demo-torch $(DONE)/test $(DONE)/lint $(DONE)/docs: $(DONE)/%: pyproject.toml | $(DONE)/venv
	$(call tell,$(HOLDS_$*))
	@$(PIP) $(INDEX_$*) --group $*
	@touch $@

# Editable: a changed Python file needs no new setup, only a changed source of the compiled part does.
$(DONE)/package: pyproject.toml $(NATIVE) | $(DONE)/build
	$(call tell,tensordbg itself with its compiled part: a minute)
	@$(PIP) --no-build-isolation --editable .
	@touch $@
