{{- define "tidings.evaluation.postgres" -}}
args:
  - -c
  - fsync=on
  - -c
  - max_connections=300
  {{- range $name, $value := .Values.evaluation.postgres.settings }}
  - -c
  - {{ printf "%s=%v" $name $value | quote }}
  {{- end }}
env:
  - name: POSTGRES_USER
    value: tidings
  - name: POSTGRES_DB
    value: tidings
  - name: POSTGRES_PASSWORD
    valueFrom:
      secretKeyRef:
        name: {{ include "tidings.ownSecret" . }}
        key: postgres-password
startupProbe:
  exec: { command: [pg_isready, -h, 127.0.0.1, -U, tidings, -d, tidings] }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 90
livenessProbe:
  exec: { command: [pg_isready, -h, 127.0.0.1, -U, tidings, -d, tidings] }
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  exec: { command: [pg_isready, -h, 127.0.0.1, -U, tidings, -d, tidings] }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}

{{- define "tidings.evaluation.kafka" -}}
env:
  - name: CLUSTER_ID
    value: dGlkaW5ncy1ldmFsdWF0ZQ
  - name: KAFKA_NODE_ID
    value: "1"
  - name: KAFKA_PROCESS_ROLES
    value: broker,controller
  - name: KAFKA_LISTENERS
    value: PLAINTEXT://:9092,CONTROLLER://127.0.0.1:9093
  - name: KAFKA_ADVERTISED_LISTENERS
    value: PLAINTEXT://{{ include "tidings.fullname" . }}-kafka:9092
  - name: KAFKA_CONTROLLER_LISTENER_NAMES
    value: CONTROLLER
  - name: KAFKA_INTER_BROKER_LISTENER_NAME
    value: PLAINTEXT
  - name: KAFKA_LISTENER_SECURITY_PROTOCOL_MAP
    value: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
  - name: KAFKA_CONTROLLER_QUORUM_VOTERS
    value: 1@127.0.0.1:9093
  - name: KAFKA_LOG_DIRS
    value: /var/lib/kafka/data/log
  - name: KAFKA_AUTO_CREATE_TOPICS_ENABLE
    value: "false"
  - name: KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR
    value: "1"
  - name: KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR
    value: "1"
  - name: KAFKA_TRANSACTION_STATE_LOG_MIN_ISR
    value: "1"
  - name: KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS
    value: "0"
  - name: KAFKA_MESSAGE_MAX_BYTES
    value: "4194304"
  - name: KAFKA_HEAP_OPTS
    value: -Xms256m -Xmx512m
startupProbe:
  tcpSocket: { port: kafka }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 90
livenessProbe:
  tcpSocket: { port: kafka }
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  tcpSocket: { port: kafka }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}

{{- define "tidings.evaluation.valkey" -}}
args: [valkey-server, --save, "", --appendonly, "no", --maxmemory, 96mb, --maxmemory-policy, allkeys-lru]
startupProbe:
  tcpSocket: { port: valkey }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 30
livenessProbe:
  tcpSocket: { port: valkey }
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  tcpSocket: { port: valkey }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}
