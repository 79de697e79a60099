# `make run` starts Faceoff on this machine, `make test` checks everything; see scripts/.
.PHONY: run test lint pins

run:
	@scripts/run

test:
	@scripts/test

# The checks of `make test` that need no server.
lint:
	@scripts/lint

# After a change of requirements.in or requirements-dev.in; OPTIONS=--upgrade pins everything at its newest.
pins:
	@"$$(scripts/python)" scripts/environment.py test
	@.venv/bin/uv pip compile --quiet $(OPTIONS) requirements.in --output-file requirements.txt
	@.venv/bin/uv pip compile --quiet $(OPTIONS) requirements-dev.in --output-file requirements-dev.txt
