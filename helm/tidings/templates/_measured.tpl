{{- /* Selects the pods with metrics: services and workers, not stores and Jobs. */ -}}
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

{{- /* Sets the same `job` label, one per component, for both monitors. Alerts and dashboards group by it. */ -}}
{{- define "tidings.jobName" -}}
- sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
  targetLabel: job
  replacement: tidings-$1
{{- end -}}
