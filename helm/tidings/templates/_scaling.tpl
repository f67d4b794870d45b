{{- /* Quickly up, slowly down; a consumer slower still, since each change stops its whole group for a moment. */ -}}
{{- define "tidings.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: {{ ternary 30 0 .isConsumer }}
  selectPolicy: Max
  policies:
    - { type: Percent, value: 50, periodSeconds: 60 }
    - { type: Pods, value: 1, periodSeconds: 60 }
scaleDown:
  {{- if .isConsumer }}
  stabilizationWindowSeconds: {{ .keda.scaleDownStabilizationSeconds }}
  policies:
    - { type: Pods, value: 1, periodSeconds: {{ .keda.scaleDownPeriodSeconds }} }
  {{- else }}
  stabilizationWindowSeconds: 300
  policies:
    - { type: Pods, value: 1, periodSeconds: 60 }
  {{- end }}
{{- end -}}

{{- /* Whether KEDA needs something of a Secret to come to Kafka. */ -}}
{{- define "tidings.kedaAccount" -}}
{{- if or (ne .Values.kafka.sasl.mechanism "none") .Values.kafka.existingSecret.caKey -}}true{{- end -}}
{{- end -}}
