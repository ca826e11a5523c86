"""What `deploy/` says of the server is true: settings, metrics, paths, and a word on each alert."""

from __future__ import annotations

import argparse
import re
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

from pierule_archive.tools import command as archive
from pierule_server.metrics import REGISTRY
from pierule_server.operations import admin, api_process
from pierule_server.operations.health import APART
from pierule_server.settings import Settings
from pierule_terminal.commands import load, verify

DEPLOY = Path(__file__).parent.parent / "deploy"
SETTINGS = {setting.name for setting in fields(Settings)}
OWN = {"domain", "store_password", "archive_password"}
"""Variables that are Caddy's, and the composition's."""


FILES = [path for path in sorted(DEPLOY.rglob("*")) if path.is_file()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_variables_and_flags_of_the_deploy_files_exist(path: Path) -> None:
    text = path.read_text()
    for name in re.findall(r"PIERULE_([A-Z_]+)", text):
        assert name.lower() in SETTINGS | OWN, name
    if path.suffix == ".service":
        commands = re.findall(r"^ExecStart=.*pierule (?:serve|api)(.*)", text, re.MULTILINE)
        assert commands
        for flag in re.findall(r"--([a-z-]+)", "".join(commands)):
            assert flag.replace("-", "_") in SETTINGS, flag


def parser_of(command: ModuleType) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    return parser


def flags_of(parser: argparse.ArgumentParser) -> set[str]:
    """The flags of a parser and of all its commands."""
    found: set[str] = set()
    for action in parser._actions:
        found |= {name.removeprefix("--") for name in action.option_strings}
        if isinstance(action, argparse._SubParsersAction):
            found = found.union(*map(flags_of, action.choices.values()))
    return found


def test_flags_of_the_runbook_exist() -> None:
    text = (DEPLOY / "README.md").read_text()
    others = {"delete", "help", "latency", "no-deps", "now", "pid", "require-hashes"}
    others = others.union(*(flags_of(parser_of(each)) for each in (admin, archive, load, verify)))
    for flag in re.findall(r"(?<!-)--([a-z][a-z-]*)", text):
        assert flag.replace("-", "_") in SETTINGS or flag in others, flag


def test_alerts_are_about_metrics_that_exist() -> None:
    known = {sample.name for metric in REGISTRY.collect() for sample in metric.samples}
    known |= {metric.name for metric in REGISTRY.collect()}
    # Buckets of a label that no store has been asked with yet.
    known |= {f"{metric.name}_bucket" for metric in REGISTRY.collect()}
    text = (DEPLOY / "alerts.yaml").read_text()
    used = re.findall(r"\b((?:pierule|process)_[a-z_]+)", text)
    assert used
    assert not set(used) - known
    labels = re.findall(r'(pierule_[a-z_]+)\{([a-z]+)="([a-z_]+)"\}', text)
    assert labels
    for name, label, value in labels:
        assert REGISTRY.get_sample_value(name, {label: value}) is not None, (name, value)


def test_every_alert_is_explained() -> None:
    alerts = re.findall(r"- alert: (\w+)", (DEPLOY / "alerts.yaml").read_text())
    explained = re.findall(r"^### (\w+)$", (DEPLOY / "README.md").read_text(), re.MULTILINE)
    assert alerts == list(dict.fromkeys(alerts))
    unexplained = f"each alert of alerts.yaml needs its part, ### NAME, in {DEPLOY / 'README.md'}"
    assert set(alerts) == set(explained), unexplained
    assert len(explained) == len(set(explained))


def test_metrics_of_the_runbook_exist() -> None:
    known = {metric.name for metric in REGISTRY.collect()}
    for name in re.findall(r"`(pierule_[a-z_]+)`", (DEPLOY / "README.md").read_text()):
        assert name.removesuffix("_total") in known, name


def test_the_ports_of_container_and_proxy_agree() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    (port,) = re.findall(r"PIERULE_PORT=(\d+)", text)
    (operations,) = re.findall(r"PIERULE_OPERATIONS_PORT=(\d+)", text)
    assert f"EXPOSE {port} {operations}" in text
    assert f"127.0.0.1:{operations}/healthz" in text
    caddy = (DEPLOY / "Caddyfile").read_text()
    assert f"node-1:{port} node-2:{port}" in caddy
    assert f"health_port {operations}" in caddy
    assert "health_uri /readyz" in caddy


def test_proxies_and_units_agree_on_the_port_of_the_api() -> None:
    port = Settings().port + api_process.APART
    for name in ("Caddyfile", "systemd/Caddyfile", "nginx.conf"):
        text = (DEPLOY / name).read_text()
        block = rf" \S*\bapi\b\S* {{\n\s*\S+ (?:http://)?[a-z0-9.]+:{port};?\n"
        assert re.search(block, text), name
        led = re.search(r"@links path (.*)|location ~ \^/\((.*)\)/", text)
        assert led, name
        assert set(re.findall(r"\w+", led[1] or led[2])) == {"game", "player"}, name
    nginx = (DEPLOY / "nginx.conf").read_text()
    assert f"upstream pierule_links {{\n\tserver 127.0.0.1:{port} " in nginx
    assert f"--api-port {port}" in (DEPLOY / "systemd" / "pierule-api.service").read_text()
    (exposed,) = re.findall(r"^EXPOSE (.*)", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)
    assert str(port) in exposed.split()


def test_links_lead_to_the_nodes_while_the_api_of_the_archive_is_away() -> None:
    """Caddy takes the first that answers; nginx has a word for that."""
    api, port = Settings().port + api_process.APART, Settings().port
    for name, hosts in (
        ("Caddyfile", f"api:{api} node-1:{port} node-2:{port}"),
        ("systemd/Caddyfile", f"127.0.0.1:{api} 127.0.0.1:{port} 127.0.0.1:{port + 1}"),
    ):
        (links,) = re.findall(r"handle @links {(.*?)\n\t}", (DEPLOY / name).read_text(), re.DOTALL)
        assert f"reverse_proxy {hosts} {{" in links, name
        for demand in ("lb_policy first", "lb_try_duration", "fail_duration"):
            assert demand in links, (name, demand)
    nginx = (DEPLOY / "nginx.conf").read_text()
    assert re.search(rf"127\.0\.0\.1:{api} .*\n\tserver \S+:{port} backup;", nginx)


def test_the_units_stop_in_time() -> None:
    default = Settings()
    bound = default.drain_seconds + default.close_seconds + default.store_seconds
    for path in sorted((DEPLOY / "systemd").glob("*.service")):
        text = path.read_text()
        (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", text, re.MULTILINE)
        assert int(seconds) > bound
    grace, *_ = re.findall(r"stop_grace_period: (\d+)s", (DEPLOY / "compose.yaml").read_text())
    assert int(grace) > bound


def test_all_units_have_the_same_sandbox() -> None:
    def sandbox(name: str) -> list[str]:
        text = (DEPLOY / "systemd" / name).read_text()
        return text.partition("# --- it may listen")[2].splitlines()

    assert sandbox("pierule.service")
    assert sandbox("pierule.service") == sandbox("pierule@.service")
    assert sandbox("pierule.service") == sandbox("pierule-api.service")


def test_the_trusted_proxy_is_that_of_the_composition() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    (trusted,) = re.findall(r"PIERULE_TRUSTED_PROXIES: (\S+)", text)
    (address,) = re.findall(r"ipv4_address: (\S+)", text)
    assert trusted == address
    assert APART == 9000 - 8000  # the units' ports and the README's


def test_every_store_has_a_password_a_bound_and_small_rooms() -> None:
    conf = (DEPLOY / "systemd" / "store.conf").read_text()
    names = ("requirepass", "maxmemory", "appendonly", "maxmemory-policy", "stream-node-max-bytes")
    for name in names:
        assert re.search(rf"^{name} \S+$", conf, re.MULTILINE), name
        assert f"- --{name}\n" in (DEPLOY / "compose.yaml").read_text(), name
    for name in ("compose.yaml", "systemd/environment"):
        (url,) = re.findall(r"PIERULE_STORE[:=] ?(\S+)", (DEPLOY / name).read_text())
        assert url.startswith("redis://:"), name


def test_units_come_back_however_long_the_store_is_away() -> None:
    """Else systemd gives a unit up after 5 starts in 10 s, and it stays down."""
    for path in sorted((DEPLOY / "systemd").glob("*.service")):
        unit, _, rest = path.read_text().partition("[Service]")
        assert "\nStartLimitIntervalSec=0\n" in unit, path
        assert "\nRestart=always\n" in rest, path


def test_units_with_wrong_settings_are_not_started_again_and_again() -> None:
    for path in sorted((DEPLOY / "systemd").glob("*.service")):
        assert "\nRestartPreventExitStatus=2\n" in path.read_text(), path


def test_units_have_resource_limits() -> None:
    for path in sorted((DEPLOY / "systemd").glob("*.service")):
        for name in ("MemoryMax", "TasksMax", "LimitNOFILE"):
            assert re.search(rf"^{name}=\d+G?$", path.read_text(), re.MULTILINE), (path, name)


def test_images_are_named_by_digest() -> None:
    for name in ("Containerfile", "compose.yaml"):
        images = re.findall(r"docker\.io/\S+", (DEPLOY / name).read_text())
        assert images
        for image in images:
            assert re.search(r":[\w.-]+@sha256:[0-9a-f]{64}$", image), image


def test_older_composes_accept_the_composition() -> None:
    """Debian's docker-compose knows no top-level `name`."""
    text = (DEPLOY / "compose.yaml").read_text()
    top = set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))
    assert top == {"x-node", "services", "networks", "volumes"}
