{{- /* Selects the pods that have metrics: services and workers, not stores and Jobs. */ -}}
{{- define "tidings.measured" -}}
matchLabels:
  app.kubernetes.io/name: {{ include "tidings.name" . }}
  app.kubernetes.io/instance: {{ .Release.Name }}
matchExpressions:
  - key: app.kubernetes.io/component
    operator: In
    values:
      {{- range (include "tidings.components" . | fromYaml).items }}
      - {{ .name }}
      {{- end }}
{{- end -}}
