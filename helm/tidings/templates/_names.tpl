{{- define "tidings.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- /* At most 40 characters, so that the suffix -worker-app-push and a ReplicaSet hash still fit. */ -}}
{{- define "tidings.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "tidings.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "tidings.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* Labels used by selectors. They are immutable: never change them. */ -}}
{{- define "tidings.selector" -}}
app.kubernetes.io/name: {{ include "tidings.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "tidings.labels" -}}
{{ include "tidings.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: {{ include "tidings.name" .root }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "tidings.image" -}}
{{- $image := .Values.image -}}
{{- $name := $image.repository -}}
{{- with .Values.global.imageRegistry -}}{{- $name = printf "%s/%s" (trimSuffix "/" .) $name -}}{{- end -}}
{{- if $image.digest -}}{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}{{- printf "%s:%s" $name (default .Chart.AppVersion $image.tag) -}}{{- end -}}
{{- end -}}

{{- /* Image of an evaluation store: the global registry replaces its own. */ -}}
{{- define "tidings.storeImage" -}}
{{- with .root.Values.global.imageRegistry -}}
{{- printf "%s/%s" (trimSuffix "/" .) (regexReplaceAll "^[^/]*[.:][^/]*/" $.image "") -}}
{{- else -}}{{- .image -}}{{- end -}}
{{- end -}}

{{- define "tidings.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tidings.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* The Secret with credentials from the values, or generated ones. */ -}}
{{- define "tidings.ownSecret" -}}
{{- include "tidings.fullname" . -}}
{{- end -}}

{{- /* In evaluation mode, the default is the address of a port-forward. */ -}}
{{- /* The dashboard's address: a browser that opens the gateway's / is redirected there. */ -}}
{{- define "tidings.dashboardUrl" -}}
{{- if .Values.dashboardUrl -}}{{- .Values.dashboardUrl | trimSuffix "/" -}}{{- else -}}{{- include "tidings.publicBaseUrl" . -}}/dashboard{{- end -}}
{{- end -}}

{{- /* What carries records: kafka or postgres. */ -}}
{{- define "tidings.bus" -}}
{{- default (ternary "postgres" "kafka" .Values.oneProcess.enabled) .Values.bus -}}
{{- end -}}

{{- /* True if a process connects to Kafka: by the bus, or to move to or from it. */ -}}
{{- define "tidings.hasKafka" -}}
{{- if or (eq (include "tidings.bus" .) "kafka") .Values.moveBus.to -}}true{{- end -}}
{{- end -}}

{{- /* True if there is a Redis. */ -}}
{{- define "tidings.hasRedis" -}}
{{- if or (and .Values.evaluation.enabled (not .Values.oneProcess.enabled)) .Values.redis.url .Values.redis.existingSecret.name -}}true{{- end -}}
{{- end -}}

{{- /* Name of the Deployment and Service that a service runs in. */ -}}
{{- define "tidings.ofService" -}}
{{- printf "%s-%s" (include "tidings.fullname" .root) (ternary "all" .service .root.Values.oneProcess.enabled) -}}
{{- end -}}

{{- define "tidings.publicBaseUrl" -}}
{{- if and .Values.evaluation.enabled (not .Values.publicBaseUrl) -}}http://localhost:8080{{- else -}}{{- .Values.publicBaseUrl | trimSuffix "/" -}}{{- end -}}
{{- end -}}

{{- define "tidings.publicHost" -}}
{{- (urlParse (include "tidings.publicBaseUrl" .)).hostname -}}
{{- end -}}

{{- define "tidings.httpsOnly" -}}
{{- if kindIs "bool" .Values.httpsOnly -}}{{- .Values.httpsOnly -}}{{- else -}}{{- hasPrefix "https://" (include "tidings.publicBaseUrl" .) -}}{{- end -}}
{{- end -}}
