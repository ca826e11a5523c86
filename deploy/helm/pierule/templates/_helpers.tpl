{{- define "pierule.name" -}}
{{- if contains "pierule" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-pierule" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "pierule.labels" -}}
app.kubernetes.io/name: pierule
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* Of a part: (list . "node") */}}
{{- define "pierule.selector" -}}
{{- $top := index . 0 -}}
app.kubernetes.io/name: pierule
app.kubernetes.io/instance: {{ $top.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "pierule.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest }}{{ $image.repository }}@{{ $image.digest }}{{ else }}{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end }}

{{- define "pierule.secret" -}}
{{ .Values.secrets.existing | default (include "pierule.name" .) }}
{{- end }}

{{- define "pierule.valkeySecret" -}}
{{ .Values.valkey.existingSecret | default (printf "%s-valkey" (include "pierule.name" .)) }}
{{- end }}

{{- define "pierule.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "pierule.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- /* What nodes and API read from the environment. */}}
{{- define "pierule.environment" -}}
{{- if .Values.valkey.enabled }}
- name: VALKEY_PASSWORD
  valueFrom:
    secretKeyRef: {name: {{ include "pierule.valkeySecret" . }}, key: password}
- name: PIERULE_STORE
  value: redis://:$(VALKEY_PASSWORD)@{{ include "pierule.name" . }}-valkey:6379
{{- end }}
{{- with .Values.trustedProxies }}
- name: PIERULE_TRUSTED_PROXIES
  value: {{ . | quote }}
{{- end }}
{{- if and .Values.ingress.enabled .Values.ingress.host (not (hasKey .Values.settings "PIERULE_PAGE_URL")) }}
- name: PIERULE_PAGE_URL
  value: {{ printf "%s://%s/" (ternary "https" "http" (ne .Values.ingress.tlsSecret "")) .Values.ingress.host }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  {{- /* Helm reads numbers as floats, and would write 2592000 as 2.592e+06. */}}
  value: {{ if and (kindIs "float64" $value) (eq (floor $value) $value) }}{{ int64 $value | quote }}{{ else }}{{ $value | quote }}{{ end }}
{{- end }}
{{- end }}

{{- define "pierule.placing" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}
