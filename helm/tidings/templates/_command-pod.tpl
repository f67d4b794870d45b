{{- /* Pod of a Job that runs an installation command; the Job's name contains a hash of it. */ -}}
{{- define "tidings.commandPod" -}}
spec:
  {{- include "tidings.podStart" .root | nindent 2 }}
  restartPolicy: OnFailure
  {{- include "tidings.placement" .root.Values.defaults | nindent 2 }}
  containers:
    - name: {{ .component.name }}
      image: {{ include "tidings.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: {{ include "tidings.command" (dict "file" .file) }}
      env:
        {{- include "tidings.env" (dict "root" .root "component" .component) | trim | nindent 8 }}
      resources:
        {{- toYaml .root.Values.preparation.resources | nindent 8 }}
      securityContext:
        {{- include "tidings.containerSecurity" .root | nindent 8 }}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: 64Mi
{{- end -}}

{{- /* Replication of the topics that a command creates. */ -}}
{{- define "tidings.topicEnv" -}}
TOPIC_REPLICATION_FACTOR: {{ ternary 1 (int .Values.kafka.topics.replicationFactor) .Values.evaluation.enabled }}
TOPIC_MIN_INSYNC_REPLICAS: {{ ternary 1 (int .Values.kafka.topics.minInsyncReplicas) .Values.evaluation.enabled }}
{{- end -}}
