"""What operators are told: variables are documented, compose is sound, missing servers are named."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command

from scripts.engine import Failed, Project
from tests.ground import ROOT, variables_read
from tests.stack import COMPOSE

OPERATORS = (ROOT / "docs" / "operators.md").read_text()
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service.get("image") == "faceoff"}
# Docker's, PostgreSQL's and the image's own; everything else must be read by the product.
OTHERS_VARIABLES = {"POSTGRES_PASSWORD", "POSTGRES_USER", "POSTGRES_DB"}
# The part of the Compose specification that the file uses: key -> type.
SERVICE_KEYS = {
    "image": str,
    "build": str,
    "restart": str,
    "command": list,
    "environment": dict,
    "volumes": list,
    "ports": list,
    "depends_on": dict,
    "healthcheck": dict,
    "stop_grace_period": str,
    "logging": dict,
    "shm_size": str,
    "cap_drop": list,
    "security_opt": list,
}
HEALTH_KEYS = {"test": list, "interval": str, "timeout": str, "retries": int, "start_period": str}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}


def documented() -> set[str]:
    """The variables in the table of docs/operators.md."""
    return set(re.findall(r"^\| `([A-Z0-9_]+)` \|", OPERATORS, re.MULTILINE))


def test_every_variable_that_is_read_is_documented_and_no_other():
    assert len(variables_read()) > 10
    assert documented() == variables_read()


@pytest.mark.django_db
def test_migrations_are_those_of_the_models():
    """Raises SystemExit where a model changed and no migration says so."""
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_compose_has_the_eight_services_and_keys_of_the_right_kind():
    assert set(COMPOSE) - {"x-product", "x-logging"} == {"name", "services", "volumes"}
    assert set(SERVICES) == {"db", "redis", "migrate", "web", "worker", "standings", "live", "beat"}
    for name, service in SERVICES.items():
        for key, value in service.items():
            assert isinstance(value, SERVICE_KEYS[key]), f"{name}.{key}"
        for key, value in service.get("healthcheck", {}).items():
            assert isinstance(value, HEALTH_KEYS[key]), f"{name}.healthcheck.{key}"


def test_every_service_of_compose_that_stays_has_a_health_check_a_limit_of_logs_and_is_started_again():
    for name, service in SERVICES.items():
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
        if name != "migrate":
            assert service["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL"), name
            assert service["restart"] == "unless-stopped", name


def test_services_of_compose_wait_for_what_can_be_waited_for():
    for name, service in SERVICES.items():
        for other, how in service.get("depends_on", {}).items():
            assert how["condition"] in CONDITIONS, name
            assert how["condition"] != "service_healthy" or "healthcheck" in SERVICES[other], name
            assert (how["condition"] == "service_completed_successfully") == (
                SERVICES[other]["restart"] == "no"
            )


def test_volumes_of_compose_are_declared_and_used():
    used = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert used == set(COMPOSE["volumes"])


def test_compose_sets_only_variables_that_somebody_reads():
    for name, service in SERVICES.items():
        known = variables_read() if name in OURS else OTHERS_VARIABLES
        assert set(service.get("environment", {})) <= known, name


def test_compose_asks_its_user_only_for_documented_variables():
    asked = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", (ROOT / "docker-compose.yml").read_text()))
    assert asked <= documented() | OTHERS_VARIABLES
    assert all(f"`{name}`" in OPERATORS for name in asked)


def test_nothing_of_compose_listens_outside_the_machine():
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports == ["127.0.0.1:${PORT:-8000}:8000", "127.0.0.1:${LIVE_PORT:-8001}:8001"]


def test_the_image_copies_what_is_there_and_starts_what_the_service_web_starts():
    steps = re.findall(r"^([A-Z]+) (.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    copied = [line.split()[:-1] for step, line in steps if step == "COPY"]
    assert all((ROOT / source).exists() for sources in copied for source in sources)
    assert [yaml.safe_load(line) for step, line in steps if step == "CMD"] == [SERVICES["web"]["command"]]
    assert steps.index(("USER", "faceoff")) > max(i for i, (step, _) in enumerate(steps) if step == "RUN")


def test_the_trial_of_the_containers_understands_all_that_compose_asks_for():
    """It raises for a key, condition or variable that it does not know."""
    settings = {"POSTGRES_PASSWORD": "secret", "PORT": "9000"}
    project = Project("no-engine", "trial", settings)
    options = {name: shlex.join(project.options(name)) for name in SERVICES}
    assert "--publish 127.0.0.1:9000:8000" in options["web"]
    assert "--env DATABASE_URL=postgres://faceoff:secret@db:5432/faceoff" in options["worker"]
    assert "--cap-drop=ALL --security-opt=no-new-privileges" in options["worker"]
    assert "--volume trial-database:/var/lib/postgresql/data" in options["db"]
    assert options["migrate"].endswith("localhost/trial python manage.py migrate --noinput")
    order = project.in_order()
    assert all(order.index(other) < order.index(s) for s in SERVICES for other in depends_on(s))
    with pytest.raises(Failed, match="POSTGRES_PASSWORD: put"):
        Project("no-engine", "trial", {})
    project.services["web"]["cap_add"] = ["ALL"]
    with pytest.raises(Failed, match="cap_add of the service web"):
        project.options("web")


def depends_on(service: str) -> set[str]:
    return set(SERVICES[service].get("depends_on", {}))


def test_no_secret_and_no_data_goes_into_the_image():
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".env", ".git", ".venv", "data"} <= set(ignored)


@pytest.fixture
def bare_folder(tmp_path: Path) -> Path:
    """A PATH with the few programs that scripts/servers itself needs, and no server."""
    for program in ("sh", "id", "ls"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    return tmp_path


def run_servers(folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run scripts/servers where only the programs of this folder can be found."""
    environment = {"PATH": str(folder), "POSTGRESQL_HOME": str(folder), "NGINX_HOME": str(folder)}
    command = [ROOT / "scripts" / "servers"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def put(folder: Path, program: str, script: str) -> None:
    """Put a little program into a folder."""
    (folder / program).unlink(missing_ok=True)
    (folder / program).write_text(f"#!/bin/sh\n{script}\n")
    (folder / program).chmod(0o755)


def test_servers_that_are_missing_are_installed_by_root(bare_folder):
    put(bare_folder, "id", "echo 0")
    put(bare_folder, "apt-get", f'echo "$@" >> {bare_folder}/said')
    put(bare_folder, "redis-server", "")
    assert run_servers(bare_folder).returncode == 0
    said = (bare_folder / "said").read_text().splitlines()
    assert said == [
        "-qq update",
        "-qq install -y --no-install-recommends postgresql nginx chromium-headless-shell",
    ]


def test_servers_that_are_missing_are_named_to_others_and_the_run_fails(bare_folder):
    put(bare_folder, "id", "echo 1000")
    put(bare_folder, "apt-get", "exit 1")
    done = run_servers(bare_folder)
    assert done.returncode == 1
    assert "sudo apt-get install postgresql redis-server nginx chromium-headless-shell" in done.stderr


def test_servers_that_cannot_be_installed_fail_the_run(bare_folder):
    put(bare_folder, "id", "echo 0")
    put(bare_folder, "apt-get", "exit 100")
    done = run_servers(bare_folder)
    assert done.returncode == 1
    assert "apt-get could not install postgresql redis-server nginx chromium-headless-shell" in done.stderr
