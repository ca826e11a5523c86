"""The Helm chart, rendered by Helm's own library: every object is valid for Kubernetes, and says
what nodes need."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from pierule_server.settings import Settings

if find_spec("helm_python") is None:
    pytest.skip("there is no Helm for this machine", allow_module_level=True)

import kubernetes_validate

CHART = Path(__file__).parents[2] / "deploy" / "helm" / "pierule"
KUBERNETES = ("1.27", "1.37")
"""The oldest version that the chart takes, and the latest that can be checked."""
CUSTOM = {"ServiceMonitor", "PrometheusRule"}
"""Kinds of the Prometheus operator, which has its own schemas."""
SERVER = Settings()
KEYS = "k1:" + "0" * 64

SMALL: dict[str, Any] = {"secrets": {"keys": KEYS}, "valkey": {"password": "secret"}}
WHOLE: dict[str, Any] = {
    "image": {"repository": "example.org/pierule", "digest": "sha256:" + "a" * 64},
    "drain": {"preStop": 7, "drain": 20, "close": 6},
    "settings": {"PIERULE_RETENTION": 2592000.0, "PIERULE_CHAT": "off"},
    "trustedProxies": "10.0.0.0/8",
    "secrets": {"keys": KEYS, "storeUrl": "rediss://store:6379", "archiveKeys": "a:b"},
    "valkey": {"enabled": False},
    "archive": {"enabled": True, "url": "postgresql://u:p@database/pierule"},
    "ingress": {
        "enabled": True,
        "host": "play.example.org",
        "tlsSecret": "tls",
        "className": "n",
        "meet": True,
    },
    "autoscaling": {"enabled": True, "min": 3, "max": 9, "connections": 1500},
    "monitoring": {"serviceMonitor": True, "rules": True, "labels": {"release": "prometheus"}},
    "networkPolicy": {
        "clients": [{"namespaceSelector": {}}],
        "operators": [{"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}],
    },
    "nodeSelector": {"kubernetes.io/arch": "amd64"},
}
EXISTING: dict[str, Any] = {
    "secrets": {"existing": "mine"}, "valkey": {"existingSecret": "ours"},
    "archive": {"enabled": True}, "networkPolicy": {"enabled": False},
}  # fmt: skip
VALUES = {"small": SMALL, "whole": WHOLE, "existing": EXISTING}


@cache
def helm() -> Any:
    """Helm's library. It has threads, so that a process that has imported it cannot fork."""
    return import_module("helm_python")


def render(values: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """The objects by kind and name. Raises `HelmError`."""
    with helm().Chart.load(str(CHART)) as chart:
        chart.validate_schema(values)
        files = chart.render(values, name="club", namespace="games")
    texts = [text for name, text in files.items() if name.endswith(".yaml")]
    objects = [each for text in texts for each in yaml.safe_load_all(text) if each]
    return {(each["kind"], each["metadata"]["name"]): each for each in objects}


@cache
def rendered(name: str) -> dict[tuple[str, str], Any]:
    return render(VALUES[name])


def node_of(name: str) -> Any:
    return rendered(name)["Deployment", "club-pierule"]["spec"]["template"]["spec"]


def environment(container: Any) -> dict[str, Any]:
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in container["env"]}


@pytest.mark.parametrize("kubernetes", KUBERNETES)
@pytest.mark.parametrize("name", VALUES)
def test_every_object_is_valid(name: str, kubernetes: str) -> None:
    found = rendered(name)
    assert len(found) > 6
    for (kind, _), each in found.items():
        if kind not in CUSTOM:
            kubernetes_validate.validate(each, kubernetes, strict=True)


def test_the_validator_finds_what_is_wrong() -> None:
    wrong = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"prots": 1}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, KUBERNETES[0], strict=True)


def test_helm_lint_finds_no_fault() -> None:
    found = helm().lint(str(CHART), values=SMALL)
    assert found["errors"] == []
    assert [each["error"] for each in found["messages"]] == ["icon is recommended"]


def test_large_numbers_are_written_in_full() -> None:
    variables = environment(node_of("whole")["containers"][0])
    assert (variables["PIERULE_RETENTION"], variables["PIERULE_CHAT"]) == ("2592000", "off")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"valkey": {"password": "a"}}, "set secrets.keys"),
        ({"secrets": {"keys": KEYS}}, "set valkey.password"),
        ({"secrets": {"keys": KEYS}, "valkey": {"enabled": False}}, "set secrets.storeUrl"),
        ({**SMALL, "archive": {"enabled": True}}, "set archive.url"),
        ({**SMALL, "ingress": {"enabled": True}}, "set ingress.host"),
        ({**SMALL, "nodes": 0}, "nodes"),
        ({**SMALL, "noddes": 3}, "noddes"),
        ({**SMALL, "settings": {"retention": 3}}, "retention"),
        ({"secrets": {"keys": "k1:short"}, "valkey": {"password": "a"}}, "keys"),
        ({"secrets": {"keys": KEYS}, "valkey": {"password": "a@b"}}, "password"),
    ],
)
def test_missing_and_wrong_values_are_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(helm().HelmError, match=said):
        render(values)


@pytest.mark.parametrize("name", VALUES)
def test_kubernetes_waits_for_as_long_as_a_node_drains(name: str) -> None:
    (node,) = node_of(name)["containers"]
    variables = environment(node)
    drain, close = int(variables["PIERULE_DRAIN_SECONDS"]), int(variables["PIERULE_CLOSE_SECONDS"])
    before = int(node["lifecycle"]["preStop"]["exec"]["command"][1])
    needed = before + drain + close + SERVER.store_seconds
    assert node_of(name)["terminationGracePeriodSeconds"] >= needed


def test_nodes_drain_by_the_servers_defaults() -> None:
    variables = environment(node_of("small")["containers"][0])
    told = {"PIERULE_DRAIN_SECONDS": "10", "PIERULE_CLOSE_SECONDS": "5"}
    assert told.items() <= variables.items()
    assert (SERVER.drain_seconds, SERVER.close_seconds) == (10, 5)


def test_probes_ask_the_operators_port() -> None:
    (node,) = node_of("small")["containers"]
    ports = {each["name"]: each["containerPort"] for each in node["ports"]}
    assert ports == {"clients": 8000, "operations": 9000}
    assert node["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "operations"}
    for probe in ("livenessProbe", "startupProbe"):
        assert node[probe]["httpGet"] == {"path": "/healthz", "port": "operations"}


@pytest.mark.parametrize("name", VALUES)
def test_containers_have_minimal_rights(name: str) -> None:
    found = [
        each for (kind, _), each in rendered(name).items() if kind in ("Deployment", "StatefulSet")
    ]
    assert found
    for each in found:
        pod = each["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False
        for container in pod["containers"]:
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] is True
            assert security["allowPrivilegeEscalation"] is False
            assert security["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize("name", VALUES)
def test_secrets_appear_only_in_secret_objects(name: str) -> None:
    for (kind, _), each in rendered(name).items():
        if kind != "Secret":
            text = str(each)
            assert KEYS not in text
            assert "u:p@" not in text
            assert "rediss://" not in text


@pytest.mark.parametrize("name", VALUES)
def test_services_policies_and_budgets_find_their_pods(name: str) -> None:
    found = rendered(name)
    pods = [
        each["spec"]["template"]["metadata"]["labels"]
        for (kind, _), each in found.items()
        if kind in ("Deployment", "StatefulSet")
    ]
    for (kind, who), each in found.items():
        spec = each.get("spec", {})
        selector = {
            "Service": spec.get("selector"),
            "NetworkPolicy": spec.get("podSelector", {}).get("matchLabels"),
            "PodDisruptionBudget": spec.get("selector", {}).get("matchLabels"),
        }.get(kind)
        if selector is not None:
            assert sum(selector.items() <= labels.items() for labels in pods) == 1, (kind, who)


def test_the_bundled_store_keeps_what_was_acknowledged() -> None:
    spec = rendered("small")["StatefulSet", "club-pierule-valkey"]["spec"]["template"]["spec"]
    arguments = spec["containers"][0]["args"]
    for option, value in (("appendonly", "yes"), ("appendfsync", "always"), ("save", ""),
                          ("maxmemory-policy", "noeviction"),
                          ("stream-node-max-bytes", "512")):  # fmt: skip
        assert arguments[arguments.index(f"--{option}") + 1] == value
    url = environment(node_of("small")["containers"][0])["PIERULE_STORE"]
    assert url == "redis://:$(VALKEY_PASSWORD)@club-pierule-valkey:6379"


def test_without_an_archive_there_is_no_api() -> None:
    variables = environment(node_of("small")["containers"][0])
    assert (variables["PIERULE_ARCHIVE"], variables["PIERULE_API_PORT"]) == ("off", "off")
    assert ("Deployment", "club-pierule-api") not in rendered("small")
    assert "PIERULE_ARCHIVE" not in environment(node_of("whole")["containers"][0])


def test_the_ingress_leads_each_path_to_its_process() -> None:
    (rule,) = rendered("whole")["Ingress", "club-pierule"]["spec"]["rules"]
    paths = {
        each["path"]: each["backend"]["service"]["name"] for each in rule["http"]["paths"]
    }  # fmt: skip
    api = "club-pierule-api"
    assert paths == {"/api": api, "/game": api, "/player": api, "/": "club-pierule"}
    annotations = rendered("whole")["Ingress", "club-pierule"]["metadata"]["annotations"]
    ping = SERVER.ping_seconds
    assert int(annotations["nginx.ingress.kubernetes.io/proxy-read-timeout"]) > 2 * ping


def test_clients_of_a_room_go_to_one_node_where_the_ingress_supports_it() -> None:
    hash_by = "nginx.ingress.kubernetes.io/upstream-hash-by"
    annotations = rendered("whole")["Ingress", "club-pierule"]["metadata"]["annotations"]
    assert annotations[hash_by] == "$pierule_key"
    assert "$pierule_key" in (CHART.parent / "README.md").read_text("utf-8")
    assert environment(node_of("whole")["containers"][0])["PIERULE_AFFINITY"] == "on"
    assert "PIERULE_AFFINITY" not in environment(node_of("small")["containers"][0])
    plain = {**WHOLE, "ingress": {**WHOLE["ingress"], "meet": False}}
    assert hash_by not in render(plain)["Ingress", "club-pierule"]["metadata"]["annotations"]


def test_the_autoscaler_adds_nodes_by_connections() -> None:
    found = rendered("whole")
    pods, cpu = found["HorizontalPodAutoscaler", "club-pierule"]["spec"]["metrics"]
    assert pods["pods"]["metric"]["name"] == "pierule_connections"
    assert cpu["resource"]["target"]["averageUtilization"] == 70
    assert "replicas" not in found["Deployment", "club-pierule"]["spec"]


def test_the_alerts_are_those_of_the_deploy_folder() -> None:
    rules = rendered("whole")["PrometheusRule", "club-pierule"]["spec"]
    assert rules == yaml.safe_load((CHART.parents[1] / "alerts.yaml").read_text())
    monitor = rendered("whole")["ServiceMonitor", "club-pierule"]["spec"]
    (endpoint,) = monitor["endpoints"]
    assert endpoint["relabelings"] == [{"targetLabel": "job", "replacement": "pierule"}]
    operations = rendered("whole")["Service", "club-pierule-operations"]
    wanted = monitor["selector"]["matchLabels"]
    assert wanted.items() <= operations["metadata"]["labels"].items()
    assert (
        not wanted.items()
        <= rendered("whole")["Service", "club-pierule"]["metadata"]["labels"].items()
    )
