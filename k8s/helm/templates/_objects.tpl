{{/*
The objects of a file of k8s/, which kustomize reads too, as a JSON list {"items": [...]}. The files are the truth; this chart only changes what values name.
*/}}
{{- define "mailhook.read" -}}
{{- $items := list }}
{{- range splitList "\n---\n" (.Files.Get (printf "files/%s.yaml" .file)) }}
{{- $items = append $items (fromYaml .) }}
{{- end }}
{{- dict "items" $items | toJson }}
{{- end }}

{{/* An object with the labels of this release, as a document. Selectors get the label part-of, like those of k8s/base. */}}
{{- define "mailhook.print" -}}
{{- $object := .object }}
{{- $partOf := dict "app.kubernetes.io/part-of" "mailhook" }}
{{- $own := dict "app.kubernetes.io/instance" .root.Release.Name "app.kubernetes.io/managed-by" .root.Release.Service "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version) }}
{{- $_ := set $object.metadata "labels" (merge (dict) $partOf $own ($object.metadata.labels | default dict)) }}
{{- $spec := $object.spec | default dict }}
{{- if eq $object.kind "Service" }}{{ $_ := set $spec "selector" (merge (dict) $partOf $spec.selector) }}{{ end }}
{{- if has $object.kind (list "Deployment" "StatefulSet" "PodDisruptionBudget") }}
{{- $_ := set $spec.selector "matchLabels" (merge (dict) $partOf $spec.selector.matchLabels) }}
{{- end }}
{{- if has $object.kind (list "Deployment" "StatefulSet") }}
{{- $_ := set $spec.template.metadata "labels" (merge (dict) $partOf $spec.template.metadata.labels) }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}

{{/* Every object of a file, unchanged but for the labels. */}}
{{- define "mailhook.file" -}}
{{- $root := .root }}
{{- $read := include "mailhook.read" (dict "Files" $root.Files "file" .file) | fromJson }}
{{- range $read.items }}
{{ include "mailhook.print" (dict "root" $root "object" .) }}
{{- end }}
{{- end }}

{{- define "mailhook.secret" -}}
{{ .Values.secrets.existingSecret | default "mailhook-secrets" }}
{{- end }}

{{- define "mailhook.image" -}}
{{- $image := .root.Values.image }}
{{- $digest := index $image.digests .name }}
{{- if $digest }}{{ printf "%s/%s@%s" $image.registry .name $digest }}{{ else }}{{ printf "%s/%s:%s" $image.registry .name ($image.tag | default .root.Chart.AppVersion) }}{{ end }}
{{- end }}
