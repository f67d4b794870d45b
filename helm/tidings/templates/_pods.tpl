{{- /* The `restricted` pod security standard, and more: the image's file system cannot be written. */ -}}
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

{{- /* What all pods of the image begin with. Nothing calls the cluster, and Services of others are no settings of ours. */ -}}
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

{{- /* The command of an entry point: its file, and the flags of its node. */ -}}
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

{{- /* Where pods run. */ -}}
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
