"""Emulators of marketplaces: programs of their own that speak the real wire protocol over loopback.

They are no marketplace and say so in every reply. `manage.py emulate NAME --port N --state FILE` runs one.
"""

from pathlib import Path

from django.utils.module_loading import import_string

EMULATORS = {
    "mturk": "simulation.emulators.mturk.EmulatedTurk",
    "prolific": "simulation.emulators.prolific.EmulatedProlific",
}


def serve(name: str, port: int, state: Path) -> None:
    """Run an emulator until it is stopped. Prints its address when it answers."""
    from simulation.emulators.emulator_base import Ground

    ground = Ground(import_string(EMULATORS[name])(), state)
    server = ground.server(port)
    print(f"{ground.emulator.title} at http://127.0.0.1:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        ground.stopped.set()
    finally:
        server.server_close()
