"""Services of docker-compose.yml as containers of Podman or Docker, under names of their own.

Only commands that both engines have in common are used, and no compose program: what the file asks for is
turned into options of `run` here, and a key that this does not know is an error. A project's containers,
volumes, network and image are named after it, so that a deployment on the same machine is left alone.
"""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = re.compile(r"\$(?:\$|\{([A-Z_]+)(?::([-?])([^}]*))?\})")


class Failed(Exception):
    """Something that a deployment should do, and did not; the message says what."""


def filled(value: Any, settings: dict[str, str]) -> Any:
    """A part of a compose file with its `${NAME:-default}` filled in. Raises Failed where one is required."""

    def found(match: "re.Match[str]") -> str:
        name, kind, rest = match.groups()
        if name is None:  # $$
            return "$"
        if settings.get(name):
            return settings[name]
        if kind == "?":
            raise Failed(f"{name}: {rest}")
        return rest or ""

    if isinstance(value, str):
        return VARIABLE.sub(found, value)
    if isinstance(value, list):
        return [filled(part, settings) for part in value]
    if isinstance(value, dict):
        return {key: filled(part, settings) for key, part in value.items()}
    return value


def wait_until(met: Callable[[], object], seconds: float, what: str) -> None:
    """Return when `met` is true; raise Failed after `seconds`."""
    until = time.monotonic() + seconds
    while not met():
        if time.monotonic() > until:
            raise Failed(f"After {seconds:.0f} s still not: {what}.")
        time.sleep(0.5)


def chosen_engine(name: str = "") -> str:
    """The engine that was asked for, or one that is there and answers. Raises Failed."""
    programs = [program for program in ([name] if name else ["docker", "podman"]) if shutil.which(program)]
    for program in programs:
        # Docker's program is of no use without its daemon.
        if subprocess.run([program, "info"], capture_output=True, check=False).returncode == 0:
            return program
    if programs:
        raise Failed(f"{' and '.join(programs)} cannot run containers: see what `{programs[0]} info` says.")
    raise Failed(
        f"{name or 'Neither docker nor podman'} is installed: there is nothing to run containers with."
    )


class Project:
    """All services of the compose file under one name, and what is done to them."""

    def __init__(self, engine: str, name: str, settings: dict[str, str]) -> None:
        self.engine, self.name = engine, name
        compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
        self.services: dict[str, dict[str, Any]] = filled(compose["services"], settings)
        self.volumes = list(compose["volumes"])
        self.network = name
        self.killed: dict[str, int] = {}

    # What is done with the whole

    def build(self) -> None:
        """Build the image of the services that have none to fetch."""
        self.run("build", "--tag", f"localhost/{self.name}", str(ROOT), show=True)

    def make_room(self) -> None:
        """Make the network and empty volumes."""
        self.run("network", "create", self.network)
        for volume in self.volumes:
            self.run("volume", "create", f"{self.name}-{volume}")

    def start(self, *services: str) -> None:
        """Start services, each when what it depends on is ready, and wait until they are healthy."""
        for service in sorted(services, key=self.in_order().index):
            for other, how in self.services[service].get("depends_on", {}).items():
                self._wait_for(other, how["condition"])
            self.run("run", "--detach", *self.options(service))
        for service in set(services) & set(self.staying()):
            self.wait_healthy(service)

    def in_order(self) -> list[str]:
        """The services, each after those that it depends on."""
        found: list[str] = []

        def add(service: str) -> None:
            for other in self.services[service].get("depends_on", {}):
                add(other)
            if service not in found:
                found.append(service)

        for service in self.services:
            add(service)
        return found

    def staying(self) -> list[str]:
        """The services that do not end by themselves."""
        return [name for name, service in self.services.items() if service["restart"] != "no"]

    def remove(self) -> None:
        """Take everything down, the image that was built too."""
        self.down()
        self.run("rmi", "--force", f"localhost/{self.name}", check=False)

    def down(self) -> None:
        """Remove containers, volumes with all they hold, and the network."""
        for service in self.services:
            self.run("rm", "--force", "--volumes", self.container(service), check=False)
        for volume in self.volumes:
            self.run("volume", "rm", f"{self.name}-{volume}", check=False)
        self.run("network", "rm", self.network, check=False)

    # What is done with one of them

    def container(self, service: str) -> str:
        return f"{self.name}-{service}"

    def execute(self, service: str, *command: str, given: str = "", check: bool = True) -> str:
        """Run a command in a service's container, as its user; return what it printed."""
        return self.run("exec", "--interactive", self.container(service), *command, given=given, check=check)

    def manage(self, *command: str, given: str = "") -> str:
        """Run a manage.py command in the container of the web service."""
        return self.execute("web", "python", "manage.py", *command, given=given)

    def pipe(self, *words: str, source: Path | None = None, target: Path | None = None) -> None:
        """Run a command of the engine that reads a file, or writes one. Raises Failed."""
        with open(source or os.devnull, "rb") as read, open(target or os.devnull, "wb") as written:
            command = [self.engine, *words]
            done = subprocess.run(command, stdin=read, stdout=written, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise Failed(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stderr.decode()}")

    def healthy(self, service: str) -> bool:
        """What the health check of a service says, asked here: engines ask at their own pace."""
        kind, *check = self.services[service]["healthcheck"]["test"]
        command = ["sh", "-c", *check] if kind == "CMD-SHELL" else check
        try:
            self.execute(service, *command)
        except Failed:
            return False
        return True

    def wait_healthy(self, service: str) -> None:
        """Wait for a service; raise Failed with the end of its log where it does not become healthy."""
        try:
            wait_until(lambda: self.healthy(service), 180, f"{service} is healthy")
        except Failed as error:
            raise Failed(f"{error}\n{self.log(service)[-3000:]}") from None

    def kill(self, *services: str) -> None:
        """End the first processes of services by SIGKILL, from outside: nobody wished for it, so that the
        engine has to start them again (after its own `kill` it would not).
        """
        for service in services:
            self.killed[service] = self._process(service)
            os.kill(self.killed[service], signal.SIGKILL)

    def wait_back(self, service: str) -> None:
        """Wait until the engine has started a killed service again, and it is healthy."""

        def back() -> bool:
            return self._process(service) not in (0, self.killed[service])

        wait_until(back, 60, f"{self.engine} starts {service} again, as `restart` asks")
        self.wait_healthy(service)

    def log(self, service: str) -> str:
        """Everything that a service wrote."""
        done = subprocess.run(
            [self.engine, "logs", self.container(service)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        return done.stdout

    def memory(self) -> dict[str, str]:
        """Service -> what it uses, as the engine counts it."""
        said = self.run("stats", "--no-stream", "--format", "{{.Name}}\t{{.MemUsage}}", check=False)
        found = dict(line.split("\t") for line in said.splitlines() if "\t" in line)
        return {
            s: found[self.container(s)].split("/")[0] for s in self.staying() if self.container(s) in found
        }

    def _process(self, service: str) -> int:
        state = json.loads(self.run("inspect", "--format", "{{json .State}}", self.container(service)))
        return int(state["Pid"]) if state["Running"] else 0

    def _wait_for(self, service: str, condition: str) -> None:
        if condition == "service_healthy":
            self.wait_healthy(service)
        elif condition == "service_completed_successfully":
            code = self.run("wait", self.container(service)).strip()
            if code != "0":
                raise Failed(f"{service} ended with {code}:\n{self.log(service)[-3000:]}")
        else:
            raise Failed(f"Nothing here knows the condition {condition}.")

    def options(self, service: str) -> list[str]:
        """The options, image and command with which `run` starts a service."""
        asked = dict(self.services[service])
        options = ["--name", self.container(service), "--network", self.network, "--network-alias", service]
        options += ["--restart", asked.pop("restart")]
        for name, value in asked.pop("environment", {}).items():
            options += ["--env", f"{name}={value}"]
        for volume in asked.pop("volumes", []):
            options += ["--volume", f"{self.name}-{volume}"]
        for port in asked.pop("ports", []):
            options += ["--publish", port]
        for name in ("cap_drop", "security_opt"):
            options += [f"--{name.replace('_', '-')}={value}" for value in asked.pop(name, [])]
        if shared := asked.pop("shm_size", ""):
            options += ["--shm-size", shared]
        if logging := asked.pop("logging", {}):
            options += ["--log-driver", logging["driver"]]
            options += [f"--log-opt={name}={value}" for name, value in logging["options"].items()]
        image = asked.pop("image")
        if asked.pop("build", None):
            image = f"localhost/{self.name}"
        command = asked.pop("command", [])
        # Asked for elsewhere: `healthy`, `in_order`; how long a stop may take plays no part.
        for name in ("healthcheck", "depends_on", "stop_grace_period"):
            asked.pop(name, None)
        if asked:
            raise Failed(f"Nothing here knows what {', '.join(asked)} of the service {service} means.")
        return [*options, image, *command]

    def run(self, *words: str, given: str = "", check: bool = True, show: bool = False) -> str:
        """Run a command of the engine; return what it printed. Raises Failed."""
        done = subprocess.run(
            [self.engine, *words], input=given, text=True, check=False,
            stdout=None if show else subprocess.PIPE, stderr=None if show else subprocess.PIPE,
        )  # fmt: skip
        if check and done.returncode:
            said = "" if show else f":\n{done.stdout}{done.stderr}"
            raise Failed(f"{shlex.join([self.engine, *words])[:300]} ended with {done.returncode}{said}")
        return done.stdout or ""


def free_ports(count: int) -> list[str]:
    """Ports of the loopback address that nobody uses at this moment."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [str(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()
