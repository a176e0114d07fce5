#!/bin/sh
# Installs the chart with its own Redis and MongoDB in a new cluster of kind, sends an event, and upgrades the release.
# Needs docker, kind, kubectl and helm, and the images of `npx mailhook images`. Removes the cluster at the end.
set -eu
cluster=mailhook-check
admin=$(openssl rand -hex 32)
producer=$(openssl rand -hex 32)
trap 'kill "$forward" 2> /dev/null || true; kind delete cluster --name "$cluster"' EXIT
forward=
kind create cluster --name "$cluster" --wait 120s
kubectl create namespace mailhook
kubectl label namespace mailhook pod-security.kubernetes.io/enforce=restricted
for image in api transactional-notifier campaign-batcher tools; do
  kind load docker-image "mailhook-check/$image:check" --name "$cluster"
done
install() {
  helm upgrade --install mailhook k8s/helm --namespace mailhook --wait --timeout 5m \
    --set image.registry=mailhook-check --set image.tag=check --set image.pullPolicy=Never \
    --set redis.enabled=true --set mongo.enabled=true \
    --set secrets.ADMIN_TOKEN="$admin" --set secrets.PRODUCER_TOKEN="$producer" "$@"
}
install
kubectl port-forward --namespace mailhook service/api-operations 3100 &
forward=$!
until curl --silent --fail http://127.0.0.1:3100/readyz; do sleep 1; done
curl --silent --fail -X POST http://127.0.0.1:3100/admin/accounts -H "Authorization: Bearer $admin" \
  -H 'Content-Type: application/json' -d '{"name": "check"}'
# A change of the configuration replaces the pods.
before=$(kubectl get pods --namespace mailhook --selector app.kubernetes.io/name=api --output name)
install --set config.LOG_LEVEL=debug
after=$(kubectl get pods --namespace mailhook --selector app.kubernetes.io/name=api \
  --field-selector status.phase=Running --output name)
[ "$before" != "$after" ] || {
  echo 'The pods were not replaced.' >&2
  exit 1
}
echo 'The chart works in a cluster.'
