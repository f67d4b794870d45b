{{- /*
Counts the changes of the Secret created from values; the count is a pod annotation, so a change restarts the pods. A hash
instead would let anyone who can read pods guess passwords offline. `helm template` cannot look up the cluster; the count is 1.
*/ -}}
{{- define "tidings.secretVersion" -}}
{{- $found := lookup "v1" "Secret" .Release.Namespace (include "tidings.ownSecret" .) | default dict -}}
{{- $data := $found.data | default dict -}}
{{- $version := dig "metadata" "annotations" "tidings/secret-version" "1" $found | int -}}
{{- $isAnother := false -}}
{{- range $key, $value := dict "database-url" .Values.database.url "redis-url" .Values.redis.url -}}
{{- if and $value $data (ne $value (index $data $key | default "" | b64dec)) -}}{{- $isAnother = true -}}{{- end -}}
{{- end -}}
tidings/secret-version: {{ ternary (add1 $version) $version $isAnother | quote }}
{{- end -}}
