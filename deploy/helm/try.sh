#!/bin/sh
# The chart on a real cluster: made by kind, loaded, updated under play, and removed again.
# Needs docker, kind, kubectl, helm, openssl and `pierule` on the PATH; run it in the project's folder.
set -eu

NAME=pierule-try
FOLDER=$(mktemp -d)
export KUBECONFIG="$FOLDER/kubeconfig"
FORWARD=

clear_up() {
	[ -z "$FORWARD" ] || kill "$FORWARD" 2>/dev/null || true
	kind delete cluster --name "$NAME" || true
	rm -rf "$FOLDER"
}
trap clear_up EXIT INT TERM

docker build -f deploy/Containerfile -t pierule:try .
kind create cluster --name "$NAME" --wait 120s
kind load docker-image pierule:try --name "$NAME"

# The load comes through one forwarded port, so from one address: its limits are lifted.
cat >"$FOLDER/values.yaml" <<VALUES
image: {repository: pierule, tag: try, pullPolicy: Never}
nodes: 3
secrets: {keys: "k1:$(openssl rand -hex 32)"}
valkey: {password: "$(openssl rand -hex 16)"}
settings:
  PIERULE_CONNECTIONS_PER_ADDRESS: 0
  PIERULE_HANDSHAKES_PER_ADDRESS: 0
  PIERULE_ADDRESS_BUDGET: 0
  PIERULE_CONNECTION_RATE: 0
  PIERULE_USER_RATE: 0
  PIERULE_ABANDONED_PER_ADDRESS: 0
VALUES
helm lint deploy/helm/pierule --values "$FOLDER/values.yaml"
helm install try deploy/helm/pierule --values "$FOLDER/values.yaml" --wait --timeout 5m
kubectl get pods,services,poddisruptionbudgets,networkpolicies

# Forwarding ends with the pod that it leads to, so it is begun anew.
(while :; do kubectl port-forward service/try-pierule 18000:80 >/dev/null 2>&1 || true; sleep 0.2; done) &
FORWARD=$!
until curl --silent --fail --output /dev/null http://127.0.0.1:18000/; do sleep 0.5; done

pierule load ws://127.0.0.1:18000/ws --games 20 --rate 40 --seconds 90 --json "$FOLDER/load.json" &
LOAD=$!
sleep 20
kubectl rollout restart deployment/try-pierule
kubectl rollout status deployment/try-pierule --timeout 5m
wait "$LOAD" || true  # connections were lost, as they should be

python3 - "$FOLDER/load.json" <<'CHECK'
import json, sys
found = json.load(open(sys.argv[1]))
print(json.dumps({key: found[key] for key in ("actions", "games", "acknowledged_ms", "back_ms")}))
assert found["actions"] > 1000, "the games did not go on"
assert found["rooms_left"] == 0, "rooms were left behind"
assert not found["refused_requests"], found["refused_requests"]
CHECK
kubectl logs --selector app.kubernetes.io/component=node --tail -1 | grep '"level": "error"' && exit 1
helm uninstall try --wait
echo "The chart works on $(kubectl version --output json | grep -m 1 gitVersion)"
