# `make run` starts Faceoff on this machine, `make test` checks everything; see scripts/.
.PHONY: run test lint pins

run:
	@scripts/run

test:
	@scripts/test

# The checks of `make test` that need no server.
lint:
	@scripts/lint

# After a change of requirements.in or requirements-dev.in, with the wished versions installed in .venv.
pins:
	@.venv/bin/python scripts/pin.py
