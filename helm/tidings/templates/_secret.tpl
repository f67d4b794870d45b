{{- /*
Counts the changes of the Secret that is made of values, so that pods start anew by them: a hash would let whoever reads pods
try passwords. What a cluster has is not seen by `helm template`; there it stays as it is.
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
