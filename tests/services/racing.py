"""Four threads of one process that advance a topic at the same moment; test_racing.py starts two of these.

Usage: python -m tests.services.racing TOPIC locked|unlocked. It prints "ready", waits for a line, and
prints the outcome of each attempt as a JSON list: "opened", "nothing" or the error's name.
"""

import json
import sys
import threading

import django

THREADS = 4


def main(topic_id: int, lock: str) -> None:
    """Race, and print the outcomes."""
    from django.db import connection

    from tournament import services

    together = threading.Barrier(THREADS, timeout=60)
    if lock == "unlocked":

        def read(tournaments):
            found = tournaments.first()
            together.wait()  # the worst case: everybody has read before anybody writes
            return found

        services._lock = read
    outcomes = []

    def advance() -> None:
        connection.ensure_connection()
        together.wait()
        try:
            outcomes.append("opened" if services.advance(topic_id) else "nothing")
        except Exception as error:
            outcomes.append(type(error).__name__)
        finally:
            connection.close()

    threads = [threading.Thread(target=advance) for _ in range(THREADS)]
    print("ready", flush=True)
    sys.stdin.readline()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(outcomes))


if __name__ == "__main__":
    django.setup()
    main(int(sys.argv[1]), sys.argv[2])
