{{- /* Pod of the prepare Job; the Job's name contains a hash of it. */ -}}
{{- define "tidings.preparationPod" -}}
spec:
  {{- include "tidings.podStart" .root | nindent 2 }}
  restartPolicy: OnFailure
  {{- include "tidings.placement" .root.Values.defaults | nindent 2 }}
  containers:
    - name: preparation
      image: {{ include "tidings.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: {{ include "tidings.command" (dict "file" "deploy/install/src/prepare.ts") }}
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
