import type { Dashboard, Panel } from './to-grafana.ts';

const quantile = (q: number, histogram: string, by: string): string =>
  `histogram_quantile(${q}, sum by (le, ${by}) (rate(${histogram}_bucket[5m])))`;
const rate = (counter: string, by: string, where = ''): string =>
  `sum by (${by}) (rate(${counter}${where}[5m]))`;

const PROCESSES: readonly Panel[] = [
  {
    title: 'CPU',
    unit: 'short',
    queries: [
      ['sum by (job) (rate(process_cpu_seconds_total{job=~".*tidings.*"}[5m]))', '{{job}}'],
    ],
    description: 'Cores in use.',
  },
  {
    title: 'Resident memory',
    unit: 'bytes',
    queries: [['max by (job) (process_resident_memory_bytes{job=~".*tidings.*"})', '{{job}}']],
  },
  {
    title: 'Event loop delay, p99',
    unit: 's',
    queries: [['max by (job) (nodejs_eventloop_lag_p99_seconds)', '{{job}}']],
  },
  {
    title: 'Connections to Postgres',
    unit: 'short',
    queries: [['sum by (job, state) (tidings_database_connections)', '{{job}} {{state}}']],
  },
];

export const DASHBOARDS: readonly Dashboard[] = [
  {
    uid: 'tidings-overview',
    title: 'Tidings: overview',
    rows: {
      Incoming: [
        {
          title: 'Requests',
          unit: 'reqps',
          queries: [
            [rate('tidings_gateway_requests_total', 'route, status'), '{{route}} {{status}}'],
          ],
        },
        {
          title: 'Response time, p99',
          unit: 's',
          queries: [
            [quantile(0.99, 'tidings_gateway_request_duration_seconds', 'route'), '{{route}}'],
          ],
        },
        {
          title: 'Consumer lag (records)',
          unit: 'short',
          queries: [['max by (group) (tidings_consumer_lag_records)', '{{group}}']],
        },
      ],
      Outgoing: [
        {
          title: 'Sends',
          unit: 'ops',
          queries: [
            [rate('tidings_sends_total', 'channel'), '{{channel}}'],
            [rate('tidings_inbox_deliveries_total', 'channel'), '{{channel}} inbox'],
          ],
        },
        {
          title: 'Failed sends',
          unit: 'percentunit',
          queries: [
            [
              `${rate('tidings_sends_total', 'channel', '{status!="sent"}')} / ${rate('tidings_sends_total', 'channel')}`,
              '{{channel}}',
            ],
          ],
        },
        {
          title: 'Recipients without an outcome',
          unit: 'short',
          queries: [['max by (channel) (tidings_pending_recipients)', '{{channel}}']],
        },
      ],
      Processes: PROCESSES,
    },
  },
  {
    uid: 'tidings-ingest',
    title: 'Tidings: ingest',
    rows: {
      Gateway: [
        {
          title: 'Responses',
          unit: 'reqps',
          queries: [
            [rate('tidings_gateway_requests_total', 'status', '{route="ingest"}'), '{{status}}'],
          ],
        },
        {
          title: 'Response time',
          unit: 's',
          queries: [0.5, 0.9, 0.99].map(
            (q) =>
              [
                quantile(q, 'tidings_gateway_request_duration_seconds', 'route').replace(
                  '_bucket',
                  '_bucket{route="ingest"}',
                ),
                `p${q * 100}`,
              ] as const,
          ),
        },
        {
          title: 'Bytes in flight',
          unit: 'bytes',
          queries: [['sum by (pod, path) (tidings_pending_bytes)', '{{pod}} {{path}}']],
        },
        {
          title: 'Queued requests',
          unit: 'short',
          queries: [['sum by (pod, path) (tidings_waiting_requests)', '{{pod}} {{path}}']],
        },
        {
          title: 'Rejected: rate limit, invalid key, plain HTTP',
          unit: 'reqps',
          queries: [
            [rate('tidings_rate_limited_total', 'path'), 'rate {{path}}'],
            ['sum(rate(tidings_wrong_keys_total[5m]))', 'key'],
            ['sum(rate(tidings_plain_http_requests_total[5m]))', 'plain HTTP'],
          ],
        },
      ],
      Kafka: [
        {
          title: 'Produce call duration, p99',
          unit: 's',
          queries: [[quantile(0.99, 'tidings_bus_produce_seconds', 'topic'), '{{topic}}']],
        },
        {
          title: 'Records per produce call',
          unit: 'short',
          queries: [
            [
              `${rate('tidings_bus_group_commit_flush_records_sum', 'topic')} / ${rate('tidings_bus_group_commit_flush_records_count', 'topic')}`,
              '{{topic}}',
            ],
          ],
        },
        {
          title: 'Unconfirmed records',
          unit: 'ops',
          queries: [
            [
              rate('tidings_bus_group_commit_rejected_total', 'topic, reason'),
              '{{topic}} {{reason}}',
            ],
          ],
        },
      ],
      Consumers: [
        {
          title: 'Stored records',
          unit: 'ops',
          queries: [[rate('tidings_ingest_records_total', 'consumer'), '{{consumer}}']],
        },
        {
          title: 'Consumer lag (records)',
          unit: 'short',
          queries: [['max by (group) (tidings_consumer_lag_records{topic="ingest"})', '{{group}}']],
        },
        {
          title: 'Batch duration, p99',
          unit: 's',
          queries: [[quantile(0.99, 'tidings_bus_batch_seconds', 'topic'), '{{topic}}']],
        },
        {
          title: 'Batch retries and dead letters',
          unit: 'ops',
          queries: [
            [rate('tidings_bus_batch_failures_total', 'topic'), 'retry {{topic}}'],
            [rate('tidings_dead_letters_total', 'consumer'), 'dead letter {{consumer}}'],
          ],
        },
      ],
      Processes: PROCESSES,
    },
  },
  {
    uid: 'tidings-delivery',
    title: 'Tidings: delivery by channel',
    rows: {
      Campaigns: [
        {
          title: 'Pushes',
          unit: 'reqps',
          queries: [
            [rate('tidings_gateway_requests_total', 'status', '{route="push"}'), '{{status}}'],
          ],
        },
        {
          title: 'Recipients without an outcome',
          unit: 'short',
          queries: [['max by (channel) (tidings_pending_recipients)', '{{channel}}']],
        },
        {
          title: 'Longest stalled campaign',
          unit: 's',
          queries: [['max by (channel) (tidings_stalled_campaign_seconds)', '{{channel}}']],
        },
        {
          title: 'Dispatched chunks',
          unit: 'ops',
          queries: [
            [rate('tidings_chunks_dispatched_total', 'channel, cause'), '{{channel}} {{cause}}'],
          ],
        },
      ],
      Providers: [
        {
          title: 'Sends by outcome',
          unit: 'ops',
          queries: [[rate('tidings_sends_total', 'channel, status'), '{{channel}} {{status}}']],
        },
        {
          title: 'Messages that could not be rendered',
          unit: 'ops',
          queries: [
            [rate('tidings_template_errors_total', 'channel, code'), '{{channel}} {{code}}'],
            [rate('tidings_rendering_threads_ended_total', 'reason'), 'thread ended: {{reason}}'],
          ],
        },
        {
          title: 'Send duration, p95',
          unit: 's',
          queries: [[quantile(0.95, 'tidings_send_duration_seconds', 'channel'), '{{channel}}']],
        },
        {
          title: 'Open circuit breakers and paused channels',
          unit: 'short',
          queries: [
            ['max by (channel) (tidings_worker_open_breakers)', 'open {{channel}}'],
            [
              'sum by (channel, reason) (increase(tidings_worker_channel_pauses_total[5m]))',
              'paused {{channel}} {{reason}}',
            ],
            [
              'sum by (channel, reason) (increase(tidings_worker_account_pauses_total[5m]))',
              'account paused {{channel}} {{reason}}',
            ],
          ],
        },
        {
          title: 'Held deliveries',
          unit: 'ops',
          queries: [
            [
              rate('tidings_worker_deliveries_deferred_total', 'channel, cause'),
              '{{channel}} {{cause}}',
            ],
          ],
        },
      ],
      Feedback: [
        {
          title: 'Provider callbacks',
          unit: 'ops',
          queries: [
            [
              rate('tidings_provider_callbacks_total', 'provider, result'),
              '{{provider}} {{result}}',
            ],
          ],
        },
        {
          title: 'Outcome polls',
          unit: 'ops',
          queries: [
            [rate('tidings_outcome_polls_total', 'channel, result'), '{{channel}} {{result}}'],
          ],
        },
        {
          title: 'E-mail opens and clicks',
          unit: 'ops',
          queries: [[rate('tidings_link_hits_total', 'kind, result'), '{{kind}} {{result}}']],
        },
        {
          title: 'Webhooks',
          unit: 'ops',
          queries: [[rate('tidings_webhook_attempts_total', 'outcome'), '{{outcome}}']],
        },
      ],
      Segments: [
        {
          title: 'Questions about all users, p95',
          unit: 's',
          queries: [[quantile(0.95, 'tidings_segment_question_seconds', 'job'), '{{job}}']],
        },
        {
          title: 'Questions by outcome',
          unit: 'ops',
          queries: [
            [rate('tidings_segment_question_seconds_count', 'outcome'), 'all users {{outcome}}'],
            [rate('tidings_user_questions_total', 'outcome'), 'few users {{outcome}}'],
          ],
        },
        {
          title: 'Reading the recipients of a campaign, p95',
          unit: 's',
          queries: [
            [quantile(0.95, 'tidings_campaign_snapshot_seconds', 'outcome'), '{{outcome}}'],
          ],
        },
        {
          title: 'Campaigns in the slow lane',
          unit: 'short',
          queries: [['max(tidings_slow_segment_campaigns)', 'waiting']],
        },
        {
          title: 'Campaigns without recipients, by reason',
          unit: 'ops',
          queries: [[rate('tidings_campaign_snapshot_failures_total', 'reason'), '{{reason}}']],
        },
      ],
      Automations: [
        {
          title: 'Oldest change, latest run',
          unit: 's',
          queries: [
            ['max(tidings_changes_oldest_seconds)', 'change of a user'],
            ['max(tidings_timers_oldest_due_seconds)', 'run that is due'],
          ],
        },
        {
          title: 'Changes and runs handled',
          unit: 'ops',
          queries: [[rate('tidings_automation_steps_total', 'kind'), '{{kind}}']],
        },
        {
          title: 'Failures',
          unit: 'ops',
          queries: [
            ['sum(rate(tidings_automation_run_failures_total[5m]))', 'steps that failed'],
            ['sum(rate(tidings_automations_put_off_total[5m]))', 'conditions that took too long'],
            ['sum(rate(tidings_changes_unreadable_total[5m]))', 'changes that could not be read'],
            [
              'sum(rate(tidings_automation_entry_failures_total[5m]))',
              'events that could not enter their person',
            ],
            ['sum(rate(tidings_segment_failures_total[5m]))', 'live segments that were not asked'],
          ],
        },
        {
          title: 'People asked again by live segments',
          unit: 'ops',
          queries: [[rate('tidings_segment_rechecks_total', 'changed'), 'changed: {{changed}}']],
        },
        {
          title: 'Runs that were given up',
          unit: 'short',
          queries: [['max(tidings_automation_runs_failed)', 'failed']],
        },
      ],
      Workers: [
        {
          title: 'Dispatch lag (records)',
          unit: 'short',
          queries: [
            ['max by (group) (tidings_consumer_lag_records{topic=~"dispatch.*"})', '{{group}}'],
          ],
        },
        ...PROCESSES,
      ],
    },
  },
];
