{{- /*
All components to deploy, each with its values merged over the defaults: the services and the enabled workers, or the one
process of all of them.
Returned as YAML, {items: [{name, channel, …}]}; every template iterates over this list.
*/ -}}
{{- define "tidings.components" -}}
{{- $root := . -}}
{{- $items := list -}}
{{- if .Values.oneProcess.enabled -}}
{{- $items = append $items (include "tidings.component" (dict "root" $root "name" "all" "channel" "" "own" .Values.oneProcess) | fromYaml) -}}
{{- else -}}
{{- range $name, $service := .Values.services -}}
{{- $items = append $items (include "tidings.component" (dict "root" $root "name" $name "channel" "" "own" $service) | fromYaml) -}}
{{- end -}}
{{- range $slug, $worker := .Values.workers -}}
{{- if $worker.enabled -}}
{{- $items = append $items (include "tidings.component" (dict "root" $root "name" (printf "worker-%s" $slug) "channel" $slug "own" $worker) | fromYaml) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{- define "tidings.component" -}}
{{- $v := .root.Values -}}
{{- $merged := mergeOverwrite (deepCopy $v.defaults) (dict "drain" (deepCopy $v.drain)) (deepCopy .own) -}}
{{- $_ := set $merged "name" .name -}}
{{- $_ := set $merged "channel" .channel -}}
{{- $_ := set $merged "fullname" (printf "%s-%s" (include "tidings.fullname" .root) .name) -}}
{{- $_ := set $merged "isSingle" $v.oneProcess.enabled -}}
{{- if $merged.isSingle -}}{{- $_ := set $merged "replicasMax" 1 -}}{{- end -}}
{{- if or $merged.isSingle $v.evaluation.enabled -}}
{{- $_ := set $merged "replicas" 1 -}}
{{- $_ := set $merged.autoscaling "enabled" false -}}
{{- end -}}
{{- $_ := set $merged "http" (not (not $merged.http)) -}}
{{- $scaledBy := "cpu" -}}
{{- if and $merged.consumes $v.keda.enabled -}}{{- $scaledBy = "lag" -}}{{- end -}}
{{- if and $merged.ages $v.keda.enabled $v.keda.prometheusUrl -}}{{- $scaledBy = "age" -}}{{- end -}}
{{- $_ := set $merged "scaledBy" (ternary $scaledBy "" $merged.autoscaling.enabled) -}}
{{- $sleep := ternary (int $merged.drain.preStopSeconds) 0 $merged.http -}}
{{- $_ := set $merged "preStopSeconds" $sleep -}}
{{- /* Five extra seconds: the process exits at its own deadline before Kubernetes kills it. */ -}}
{{- $_ := set $merged "graceSeconds" (add $sleep (int $merged.drain.deadlineSeconds) 5) -}}
{{- toYaml $merged -}}
{{- end -}}
