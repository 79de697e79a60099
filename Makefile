# Every target sees first to the packages that it needs, in .venv; scripts/ says how.
# Tests start dozens of processes: compiled modules are kept, also where the shell says otherwise.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
.PHONY: help run dev languages shell test test-all quick containers lint format pins wheel site ready

help: ## List these targets
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1\t\2/p' Makefile | expand -t 20

run: ## Start Faceoff on this machine, with a demonstration (PORT=9000 chooses the port)
	@scripts/run

dev: ## The same with Django's development server: starts again at every change, shows errors
	@scripts/run --dev

languages: ready ## Bring the catalogs of the assessors' pages up to date with the sources, and compile them
	@scripts/languages

shell: ready ## Python with Django and all models, on the data of `make run`
	@.venv/bin/python manage.py shell

test: ## Check everything; T=tests/rules runs only the tests of that path, on PostgreSQL
	@scripts/test $(T)

test-all: ## Check everything, and on both databases whatever touches one
	@scripts/test --everything

quick: ready ## Run the tests that need no service, no public data and no seconds, on SQLite (T as above)
	@HYPOTHESIS_PROFILE=quick .venv/bin/pytest --quiet --ds=tests.on_sqlite --numprocesses=auto \
		--dist=worksteal -m "not services and not data and not slow" $(T)

containers: ready ## Build the image, start all services of docker-compose.yml, judge, kill each, judge again (root)
	@.venv/bin/python -m scripts.containers $(OPTIONS)

lint: ## Check style, types and migrations
	@scripts/lint

format: ready ## Lay the code out as `make lint` wants it, and repair what can be repaired without asking
	@.venv/bin/ruff format --quiet .
	@.venv/bin/ruff check --fix .

pins: ready ## Pin anew after a change of requirements*.in (OPTIONS=--upgrade: everything at its newest)
	@.venv/bin/uv pip compile --quiet $(OPTIONS) requirements.in --output-file requirements.txt
	@.venv/bin/uv pip compile --quiet $(OPTIONS) requirements-dev.in --output-file requirements-dev.txt

wheel: ready ## Build the platform as a package into dist/: the command `faceoff`
	@.venv/bin/python -m scripts.wheel dist

site: ready ## Build the site of all documentation into build/site
	@.venv/bin/python -m scripts.docs_site build/site

ready:
	@"$$(scripts/python)" scripts/environment.py test
