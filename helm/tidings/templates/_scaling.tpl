{{- /* Scale up quickly and down slowly. Consumers scale down slower still, since each change rebalances their group. */ -}}
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

{{- /* True if KEDA needs credentials or a CA from a Secret to connect to Kafka. */ -}}
{{- define "tidings.kedaAccount" -}}
{{- if or (ne .Values.kafka.sasl.mechanism "none") .Values.kafka.existingSecret.caKey -}}true{{- end -}}
{{- end -}}
