{{- /* Renders a value for an environment variable: integers without exponents. */ -}}
{{- define "tidings.text" -}}
{{- if kindIs "float64" . -}}{{- if eq (float64 (int64 .)) . -}}{{- int64 . -}}{{- else -}}{{- . -}}{{- end -}}{{- else -}}{{- . -}}{{- end -}}
{{- end -}}

{{- /* Variables that the chart sets for one component, as {NAME: {value} or {secret, key}}: only those it needs. */ -}}
{{- define "tidings.ownEnv" -}}
{{- $v := .root.Values -}}
{{- $c := .component -}}
{{- $needs := $c.needs | default list -}}
{{- $env := dict "LOG_LEVEL" (dict "value" $v.logLevel) -}}
{{- if not $c.isCommand -}}
{{- $_ := set $env "HEALTH_PORT" (dict "value" 9464) -}}
{{- $_ := set $env "DRAIN_WAIT_MS" (dict "value" (ternary (mul 1000 (int $c.drain.waitSeconds)) 0 $c.http)) -}}
{{- $_ := set $env "DRAIN_DEADLINE_MS" (dict "value" (mul 1000 (int $c.drain.deadlineSeconds))) -}}
{{- $_ := set $env "DATABASE_POOL_MAX" (dict "value" (default $v.database.poolMax $c.poolMax)) -}}
{{- with $v.tracing -}}
{{- $_ := set $env "OTEL_EXPORTER_OTLP_ENDPOINT" (dict "value" (trimSuffix "/" .endpoint)) -}}
{{- $_ := set $env "OTEL_TRACES_SAMPLER_ARG" (dict "value" .share) -}}
{{- $_ := set $env "TRUST_CALLER_TRACEPARENT" (dict "value" .trustCallerTraceparent) -}}
{{- with .existingSecret -}}{{- if .name -}}{{- $_ := set $env "OTEL_EXPORTER_OTLP_HEADERS" (dict "secret" .name "key" .headersKey) -}}{{- end -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $c.http -}}
{{- $_ := set $env "PORT" (dict "value" 8080) -}}
{{- $_ := set $env "HTTPS_ONLY" (dict "value" (include "tidings.httpsOnly" .root)) -}}
{{- with $v.trustedProxies -}}{{- $_ := set $env "TRUSTED_PROXIES" (dict "value" (join "," .)) -}}{{- end -}}
{{- end -}}
{{- $public := $v.database.publicExistingSecret -}}
{{- if and $public.name (has "publicDatabase" $needs) -}}
{{- $_ := set $env "PUBLIC_DATABASE_URL" (dict "secret" $public.name "key" $public.urlKey) -}}
{{- else -}}
{{- include "tidings.databaseEnv" (dict "root" .root "env" $env) -}}
{{- end -}}
{{- if has "kafka" $needs -}}
{{- $bus := include "tidings.bus" .root -}}
{{- $_ := set $env "BUS" (dict "value" $bus) -}}
{{- if or (eq $bus "kafka") $c.movesBus -}}{{- include "tidings.kafkaEnv" (dict "root" .root "env" $env) -}}{{- end -}}
{{- end -}}
{{- if and (has "redis" $needs) (include "tidings.hasRedis" .root) -}}
{{- if or $v.evaluation.enabled $v.redis.url -}}
{{- $_ := set $env "REDIS_URL" (dict "secret" (include "tidings.ownSecret" .root) "key" "redis-url") -}}
{{- else -}}
{{- $_ := set $env "REDIS_URL" (dict "secret" $v.redis.existingSecret.name "key" $v.redis.existingSecret.urlKey) -}}
{{- end -}}
{{- $_ := set $env "REDIS_PROTOCOL" (dict "value" $v.redis.protocol) -}}
{{- end -}}
{{- if has "encryption" $needs -}}
{{- $secret := $v.encryption.existingSecret -}}
{{- if $secret.name -}}
{{- $_ := set $env "ENCRYPTION_KEY" (dict "secret" $secret.name "key" $secret.key) -}}
{{- with $secret.previousKey -}}{{- $_ := set $env "ENCRYPTION_KEY_PREVIOUS" (dict "secret" $secret.name "key" .) -}}{{- end -}}
{{- else -}}
{{- $_ := set $env "ENCRYPTION_KEY" (dict "secret" (include "tidings.ownSecret" .root) "key" "encryption-key") -}}
{{- end -}}
{{- end -}}
{{- if has "publicBaseUrl" $needs -}}{{- $_ := set $env "PUBLIC_BASE_URL" (dict "value" (include "tidings.publicBaseUrl" .root)) -}}{{- end -}}
{{- if has "dashboardUrl" $needs -}}{{- $_ := set $env "DASHBOARD_URL" (dict "value" (include "tidings.dashboardUrl" .root)) -}}{{- end -}}
{{- if has "deliveryRetention" $needs -}}
{{- /* The scheduler deletes by it; these warn of conditions that look further back. */ -}}
{{- with dig "DELIVERY_RETENTION_DAYS" "" ($v.services.scheduler.env | default dict) -}}{{- $_ := set $env "DELIVERY_RETENTION_DAYS" (dict "value" .) -}}{{- end -}}
{{- end -}}
{{- range $purpose := include "tidings.egressFor" $c | fromJsonArray -}}
{{- with index $v.egress.networks $purpose -}}{{- $_ := set $env (printf "EGRESS_%s_NETWORKS" (upper $purpose)) (dict "value" (join "," .)) -}}{{- end -}}
{{- end -}}
{{- if has "rates" $needs -}}{{- $_ := set $env "RATE_SHARE_REPLICAS" (dict "value" $c.replicasMax) -}}{{- end -}}
{{- if has "sending" $needs -}}
{{- $_ := set $env "SEND_RATE_SHARE_REPLICAS" (dict "value" $c.replicasMax) -}}
{{- if hasKey $c "concurrency" -}}
{{- $_ := set $env "SEND_CONCURRENCY" (dict "value" $c.concurrency) -}}
{{- $_ := set $env "SEND_RATE_PER_SECOND" (dict "value" $c.ratePerSecond) -}}
{{- end -}}
{{- end -}}
{{- toYaml $env -}}
{{- end -}}

{{- /* Purposes for which a component calls other addresses, as JSON: one, several or none. */ -}}
{{- define "tidings.egressFor" -}}
{{- if kindIs "slice" .egressFor -}}{{- .egressFor | toJson -}}{{- else -}}{{- without (list .egressFor) nil | toJson -}}{{- end -}}
{{- end -}}

{{- define "tidings.databaseEnv" -}}
{{- $v := .root.Values -}}
{{- $secret := $v.database.existingSecret -}}
{{- if or $v.evaluation.enabled $v.database.url -}}
{{- $_ := set .env "DATABASE_URL" (dict "secret" (include "tidings.ownSecret" .root) "key" "database-url") -}}
{{- else if $secret.urlKey -}}
{{- $_ := set .env "DATABASE_URL" (dict "secret" $secret.name "key" $secret.urlKey) -}}
{{- else -}}
{{- /* With an empty URL, libpq reads the parts from PG* variables, where a password needs no URL-encoding. */ -}}
{{- $_ := set .env "DATABASE_URL" (dict "value" "postgres://") -}}
{{- $_ := set .env "PGHOST" (dict "secret" $secret.name "key" $secret.hostKey) -}}
{{- $_ := set .env "PGPORT" (dict "secret" $secret.name "key" $secret.portKey) -}}
{{- $_ := set .env "PGUSER" (dict "secret" $secret.name "key" $secret.usernameKey) -}}
{{- $_ := set .env "PGPASSWORD" (dict "secret" $secret.name "key" $secret.passwordKey) -}}
{{- $_ := set .env "PGDATABASE" (dict "secret" $secret.name "key" $secret.databaseKey) -}}
{{- with $v.database.sslMode -}}{{- $_ := set $.env "PGSSLMODE" (dict "value" .) -}}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tidings.kafkaEnv" -}}
{{- $kafka := .root.Values.kafka -}}
{{- $secret := $kafka.existingSecret -}}
{{- if .root.Values.evaluation.enabled -}}
{{- $_ := set .env "KAFKA_BROKERS" (dict "value" (printf "%s-kafka:9092" (include "tidings.fullname" .root))) -}}
{{- else -}}
{{- if $secret.brokersKey -}}
{{- $_ := set .env "KAFKA_BROKERS" (dict "secret" $secret.name "key" $secret.brokersKey) -}}
{{- else -}}
{{- $_ := set .env "KAFKA_BROKERS" (dict "value" $kafka.brokers) -}}
{{- end -}}
{{- $_ := set .env "KAFKA_TLS" (dict "value" $kafka.tls.enabled) -}}
{{- with $secret.caKey -}}{{- $_ := set $.env "KAFKA_TLS_CA" (dict "secret" $secret.name "key" .) -}}{{- end -}}
{{- $_ := set .env "KAFKA_SASL_MECHANISM" (dict "value" $kafka.sasl.mechanism) -}}
{{- if ne $kafka.sasl.mechanism "none" -}}
{{- $_ := set .env "KAFKA_SASL_USERNAME" (dict "secret" $secret.name "key" $secret.usernameKey) -}}
{{- $_ := set .env "KAFKA_SASL_PASSWORD" (dict "secret" $secret.name "key" $secret.passwordKey) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The complete `env` of a container, sorted by name, without duplicates. */ -}}
{{- define "tidings.env" -}}
{{- $own := include "tidings.ownEnv" . | fromYaml -}}
{{- $env := dict -}}
{{- if not .component.isCommand -}}
{{- range $name, $value := .root.Values.env -}}{{- $_ := set $env $name (dict "value" $value) -}}{{- end -}}
{{- end -}}
{{- range $name, $value := .component.env -}}{{- $_ := set $env $name (dict "value" $value) -}}{{- end -}}
{{- $extra := list -}}
{{- range .component.extraEnv -}}{{- $extra = append $extra .name -}}{{- end -}}
{{- range $name := concat (keys $env) $extra -}}
{{- if hasKey $own $name -}}
{{- fail (printf "%s of %s is set by the chart from other values: remove it from env and extraEnv." $name $.component.name) -}}
{{- end -}}
{{- end -}}
{{- range $name := $extra -}}
{{- if hasKey $env $name -}}{{- fail (printf "%s of %s is in both env and extraEnv: remove it from one of them." $name $.component.name) -}}{{- end -}}
{{- end -}}
{{- if ne (len $extra) (len (uniq $extra)) -}}{{- fail (printf "extraEnv of %s has a name twice: remove one of them." .component.name) -}}{{- end -}}
{{- $env = merge $env $own -}}
{{- range $name := keys $env | sortAlpha }}
{{- $entry := index $env $name }}
- name: {{ $name }}
{{- if $entry.secret }}
  valueFrom:
    secretKeyRef:
      name: {{ $entry.secret }}
      key: {{ $entry.key }}
{{- else }}
  value: {{ include "tidings.text" $entry.value | quote }}
{{- end }}
{{- end }}
{{- with .component.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
