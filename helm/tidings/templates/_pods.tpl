{{- /* The `restricted` pod security standard, plus a read-only root file system. */ -}}
{{- define "tidings.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "tidings.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- /* Common to all pods of the image. No pod calls the Kubernetes API. Service links are off: their variables could override settings. */ -}}
{{- define "tidings.podStart" -}}
serviceAccountName: {{ include "tidings.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "tidings.podSecurity" 65532 | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* Command of an entry point: node flags, then the file. */ -}}
{{- define "tidings.command" -}}
{{- concat (list "node" "--disable-warning=ExperimentalWarning") (.nodeFlags | default list) (list .file) (.arguments | default list) | toJson -}}
{{- end -}}

{{- define "tidings.topologySpread" -}}
{{- $c := .component }}
{{- $selector := dict "matchLabels" (include "tidings.selector" (dict "root" .root "component" $c.name) | fromYaml) }}
{{- $constraints := list }}
{{- with $c.topologySpread.zone }}
{{- $constraints = append $constraints (dict "topologyKey" "topology.kubernetes.io/zone" "maxSkew" 1 "whenUnsatisfiable" . "labelSelector" $selector "matchLabelKeys" (list "pod-template-hash")) }}
{{- end }}
{{- with $c.topologySpread.node }}
{{- $constraints = append $constraints (dict "topologyKey" "kubernetes.io/hostname" "maxSkew" 1 "whenUnsatisfiable" . "labelSelector" $selector "matchLabelKeys" (list "pod-template-hash")) }}
{{- end }}
{{- with $constraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* Scheduling of pods. */ -}}
{{- define "tidings.placement" -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" }}
{{- with index $ $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}
