/** One line chart: a query for each of its series. */
type Panel = {
  readonly title: string;
  readonly unit: 'reqps' | 'ops' | 's' | 'short' | 'percentunit' | 'bytes';
  readonly queries: readonly (readonly [expr: string, legend: string])[];
  readonly description?: string;
};
type Dashboard = {
  readonly uid: string;
  readonly title: string;
  readonly rows: Readonly<Record<string, readonly Panel[]>>;
};

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
      'Coming in': [
        {
          title: 'Requests',
          unit: 'reqps',
          queries: [
            [rate('tidings_gateway_requests_total', 'route, status'), '{{route}} {{status}}'],
          ],
        },
        {
          title: 'Time to answer, p99',
          unit: 's',
          queries: [
            [quantile(0.99, 'tidings_gateway_request_duration_seconds', 'route'), '{{route}}'],
          ],
        },
        {
          title: 'Records that wait for a consumer',
          unit: 'short',
          queries: [['max by (group) (tidings_consumer_lag_records)', '{{group}}']],
        },
      ],
      'Going out': [
        {
          title: 'Sends',
          unit: 'ops',
          queries: [
            [rate('tidings_sends_total', 'channel'), '{{channel}}'],
            [rate('tidings_offered_total', 'channel'), '{{channel}} offered'],
          ],
        },
        {
          title: 'Sends that fail',
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
          title: 'Answers',
          unit: 'reqps',
          queries: [
            [rate('tidings_gateway_requests_total', 'status', '{route="ingest"}'), '{{status}}'],
          ],
        },
        {
          title: 'Time to answer',
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
          title: 'Bytes in work',
          unit: 'bytes',
          queries: [['sum by (pod, path) (tidings_pending_bytes)', '{{pod}} {{path}}']],
        },
        {
          title: 'Requests in line',
          unit: 'short',
          queries: [['sum by (pod, path) (tidings_waiting_requests)', '{{pod}} {{path}}']],
        },
        {
          title: 'Refused for their rate, their key, or plain HTTP',
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
          title: 'Time of a produce call, p99',
          unit: 's',
          queries: [[quantile(0.99, 'bus_produce_seconds', 'topic'), '{{topic}}']],
        },
        {
          title: 'Records to a produce call',
          unit: 'short',
          queries: [
            [
              `${rate('bus_group_commit_flush_records_sum', 'topic')} / ${rate('bus_group_commit_flush_records_count', 'topic')}`,
              '{{topic}}',
            ],
          ],
        },
        {
          title: 'Records not confirmed',
          unit: 'ops',
          queries: [
            [rate('bus_group_commit_rejected_total', 'topic, reason'), '{{topic}} {{reason}}'],
          ],
        },
      ],
      Consumers: [
        {
          title: 'Records applied',
          unit: 'ops',
          queries: [[rate('tidings_ingest_records_total', 'consumer'), '{{consumer}}']],
        },
        {
          title: 'Records that wait',
          unit: 'short',
          queries: [['max by (group) (tidings_consumer_lag_records{topic="ingest"})', '{{group}}']],
        },
        {
          title: 'Time of a batch, p99',
          unit: 's',
          queries: [[quantile(0.99, 'bus_batch_seconds', 'topic'), '{{topic}}']],
        },
        {
          title: 'Batches tried again, and dead letters',
          unit: 'ops',
          queries: [
            [rate('bus_batch_failures_total', 'topic'), 'again {{topic}}'],
            [rate('tidings_dead_letters_total', 'consumer'), 'set aside by {{consumer}}'],
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
          title: 'Oldest campaign with such',
          unit: 's',
          queries: [['max by (channel) (tidings_oldest_pending_campaign_seconds)', '{{channel}}']],
        },
        {
          title: 'Chunks given to the workers',
          unit: 'ops',
          queries: [
            [rate('tidings_chunks_announced_total', 'channel, cause'), '{{channel}} {{cause}}'],
          ],
        },
      ],
      Providers: [
        {
          title: 'Sends by what became of them',
          unit: 'ops',
          queries: [[rate('tidings_sends_total', 'channel, status'), '{{channel}} {{status}}']],
        },
        {
          title: 'Time of a send, p95',
          unit: 's',
          queries: [[quantile(0.95, 'tidings_send_duration_seconds', 'channel'), '{{channel}}']],
        },
        {
          title: 'Open breakers, and pauses',
          unit: 'short',
          queries: [
            ['max by (channel) (tidings_worker_open_breakers)', 'open {{channel}}'],
            [
              'sum by (channel, reason) (increase(tidings_worker_channel_pauses_total[5m]))',
              'paused {{channel}} {{reason}}',
            ],
          ],
        },
        {
          title: 'Held back',
          unit: 'ops',
          queries: [
            [
              rate('tidings_worker_deliveries_held_total', 'channel, cause'),
              '{{channel}} {{cause}}',
            ],
          ],
        },
      ],
      'What comes back': [
        {
          title: 'Callbacks of providers',
          unit: 'ops',
          queries: [
            [
              rate('tidings_provider_callbacks_total', 'provider, result'),
              '{{provider}} {{result}}',
            ],
          ],
        },
        {
          title: 'Outcomes that nobody knew, looked up',
          unit: 'ops',
          queries: [
            [rate('tidings_outcome_look_ups_total', 'channel, result'), '{{channel}} {{result}}'],
          ],
        },
        {
          title: 'Opened mails and followed links',
          unit: 'ops',
          queries: [[rate('tidings_link_hits_total', 'kind, result'), '{{kind}} {{result}}']],
        },
        {
          title: 'Webhooks',
          unit: 'ops',
          queries: [[rate('tidings_webhook_attempts_total', 'outcome'), '{{outcome}}']],
        },
      ],
      Workers: [
        {
          title: 'Pointers that wait',
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

const COLUMNS = 24;
const PANELS_TO_A_LINE = 4;
const HEIGHT = 8;

/** A dashboard as Grafana reads it; the data source is chosen there. */
export function toGrafana({ uid, title, rows }: Dashboard): string {
  const panels: object[] = [];
  let y = 0;
  for (const [row, ofRow] of Object.entries(rows)) {
    panels.push({
      type: 'row',
      title: row,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    const width = COLUMNS / Math.min(PANELS_TO_A_LINE, ofRow.length);
    for (const [index, panel] of ofRow.entries()) {
      const [column, line] = [index % PANELS_TO_A_LINE, Math.floor(index / PANELS_TO_A_LINE)];
      panels.push(toPanel(panel, { x: column * width, y: y + line * HEIGHT, w: width, h: HEIGHT }));
    }
    y += Math.ceil(ofRow.length / PANELS_TO_A_LINE) * HEIGHT;
  }
  const datasource = {
    name: 'datasource',
    label: 'Prometheus',
    type: 'datasource',
    query: 'prometheus',
  };
  const dashboard = {
    uid,
    title,
    tags: ['tidings'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [datasource] },
    panels: panels.map((panel, index) => ({ id: index + 1, ...panel })),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

function toPanel({ title, unit, queries, description }: Panel, gridPos: object): object {
  return {
    type: 'timeseries',
    title,
    ...(description !== undefined && { description }),
    datasource: { type: 'prometheus', uid: '${datasource}' },
    fieldConfig: {
      defaults: { unit, min: 0, custom: { lineWidth: 1, fillOpacity: 8, showPoints: 'never' } },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    gridPos,
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCodePoint(65 + index),
      expr,
      legendFormat,
    })),
  };
}
