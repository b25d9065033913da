{{- define "footfall.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "footfall.selector" -}}
app.kubernetes.io/name: footfall
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "footfall.labels" -}}
{{ include "footfall.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "footfall.image" -}}
{{- $i := .Values.image -}}
{{- if $i.digest }}{{ $i.repository }}@{{ $i.digest }}{{ else }}{{ $i.repository }}:{{ $i.tag | default .Chart.AppVersion }}{{ end -}}
{{- end -}}

{{/* The ServiceAccount of a part. Context: root, part (its name), of (its values). */}}
{{- define "footfall.serviceAccount" -}}
{{- $default := printf "%s-%s" (include "footfall.name" .root) .part -}}
{{- .of.serviceAccount.name | default (ternary $default "default" .of.serviceAccount.create) -}}
{{- end -}}

{{/* What the pods of run, serve and table create share. Context as of footfall.serviceAccount. */}}
{{- define "footfall.pod" -}}
serviceAccountName: {{ include "footfall.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "footfall.placement" -}}
{{- with .of.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .of.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- $spread := .of.topologySpread }}
{{- if or $spread.zone $spread.node }}
topologySpreadConstraints:
  {{- range $key, $when := dict "topology.kubernetes.io/zone" $spread.zone "kubernetes.io/hostname" $spread.node }}
  {{- if $when }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: {{ $when }}
    labelSelector:
      matchLabels:
        {{- include "footfall.selector" $.root | nindent 8 }}
        app.kubernetes.io/component: {{ $.part }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "footfall.container" -}}
name: footfall
image: {{ include "footfall.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: {drop: [ALL]}
{{- with .Values.envFromSecrets }}
envFrom:
  {{- range . }}
  - secretRef: {name: {{ . }}}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "footfall.env" -}}
{{- range $name, $value := .Values.env }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end -}}

{{/* Environment of run that says who logs in at the brokers, and what KEDA, which reads it there, calls it. */}}
{{- define "footfall.login" -}}
{{- $sasl := .Values.config.kafka.sasl | default dict -}}
{{- $o := $sasl.oauth | default dict -}}
{{- $extensions := $o.extensions | default "" -}}
{{- if kindIs "slice" $extensions }}{{ $extensions = join "," $extensions }}{{ end -}}
{{- range list (list "USERNAME" "username" $sasl.username) (list "OAUTH_CLIENT_ID" "username" $o.clientId)
  (list "OAUTH_TOKEN_ENDPOINT" "oauthTokenEndpointUri" $o.tokenEndpoint) (list "OAUTH_SCOPE" "scopes" $o.scope)
  (list "OAUTH_EXTENSIONS" "oauthExtensions" $extensions) }}
{{- if index . 2 }}
FOOTFALL_KAFKA_SASL_{{ index . 0 }}: {parameter: {{ index . 1 }}, value: {{ index . 2 | quote }}}
{{- end }}
{{- end }}
{{- end -}}

{{- define "footfall.probes" -}}
ports:
  - {name: http, containerPort: 8080}
  {{- if eq .part "serve" }}
  - {name: serve, containerPort: 8787}
  {{- end }}
# A process that lost the brokers or the table still lives: a restart would not help.
startupProbe:
  httpGet: {path: /livez, port: http}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /livez, port: http}
  timeoutSeconds: 10
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}

{{/* Resources. Context: the values, and memory for requests and limits where they name none. */}}
{{- define "footfall.resources" -}}
requests:
  {{- with .of.requests.cpu }}
  cpu: {{ . | quote }}
  {{- end }}
  {{- with .of.requests.memory | default .request }}
  memory: {{ . }}
  {{- end }}
limits:
  {{- with .of.limits.cpu }}
  cpu: {{ . | quote }}
  {{- end }}
  {{- with .of.limits.memory | default .limit }}
  memory: {{ . }}
  {{- end }}
{{- end -}}

{{/* Bytes of a quantity, as in 512Mi. */}}
{{- define "footfall.bytes" -}}
{{- $units := dict "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $number := regexFind "^[0-9]+" . -}}
{{- mul (int64 $number) (get $units (trimPrefix $number .) | default 1) -}}
{{- end -}}

{{/* Members at least: without one of them, the others take all partitions over. */}}
{{- define "footfall.members" -}}
{{- ternary .Values.autoscaling.minReplicas .Values.run.replicas .Values.autoscaling.enabled -}}
{{- end -}}

{{/* Bytes that a member of some partitions may need, as footfall run logs them. Context: root, partitions. */}}
{{- define "footfall.ceiling" -}}
{{- $c := .root.Values.config -}}
{{- $each := 10485760 -}}
{{- if ne (toString (dig "duplicates" "window" "15m" $c)) "0" -}}
{{- $each = add $each (dig "duplicates" "memoryBytes" 6291456 $c) -}}
{{- end -}}
{{- if dig "limits" "chunksAhead" 0 $c -}}
{{- $each = add $each 4194304 -}}
{{- end -}}
{{- $fetches := mul 3 (max 0 (sub (dig "kafka" "fetchMaxBytes" 8388608 $c) 8388608)) -}}
{{- add 50331648 $fetches (dig "limits" "memoryBytes" 268435456 $c) (dig "limits" "fetchedBytes" 67108864 $c) (mul .partitions $each) -}}
{{- end -}}

{{/* Bytes that a member needs while one of the others is gone. */}}
{{- define "footfall.held" -}}
{{- $others := max 1 (sub (include "footfall.members" . | int) 1) -}}
{{- include "footfall.ceiling" (dict "root" . "partitions" (div (add .Values.partitions $others -1) $others)) -}}
{{- end -}}

{{/* Mebibytes, rounded up. */}}
{{- define "footfall.mebibytes" -}}
{{- div (add (int64 .) 1048575) 1048576 -}}Mi
{{- end -}}

{{/* A container's limit for a ceiling in bytes: run gives Go's heap 90 % of it. */}}
{{- define "footfall.limitFor" -}}
{{- include "footfall.mebibytes" (div (add (mul (int64 .) 10) 8) 9) -}}
{{- end -}}

{{/* The limit of a member that owns all partitions, as the first to start does for a moment. */}}
{{- define "footfall.limit" -}}
{{- include "footfall.limitFor" (include "footfall.ceiling" (dict "root" . "partitions" .Values.partitions)) -}}
{{- end -}}
