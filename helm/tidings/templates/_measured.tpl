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

{{- /* The same job by either monitor, one for each component: alerts and dashboards tell processes apart by it. */ -}}
{{- define "tidings.jobName" -}}
- sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
  targetLabel: job
  replacement: tidings-$1
{{- end -}}
