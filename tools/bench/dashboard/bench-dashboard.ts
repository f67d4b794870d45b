import { startBenchInstallation } from '../installation/bench-installation.ts';
import type { Figure, PartReport } from '../report/figures.ts';
import { machineFacts } from '../report/machine.ts';
import { percentile } from '../report/percentile.ts';
import { reportParts } from '../report/report-parts.ts';
import { dashboardQueries, type DashboardQuery } from './queries.ts';
import { seed } from './seed.ts';
import { FULL, QUICK, type Sizes } from './sizes.ts';

const P95_MOST_MS = 300;
const WARM_UP_CALLS = 3;
const TITLES = {
  report: 'The report of a campaign',
  recipients: 'Its recipients',
  users: 'Users',
  ingest: 'The ingest log',
  events: 'Events and definitions',
  overview: 'The overview',
} as const;

export type DashboardBenchOptions = {
  readonly isQuick: boolean;
  readonly deliveries?: number;
  readonly events?: number;
};

/**
 * Response times of the dashboard's screens, with one campaign to a million recipients and ten
 * million events.
 */
export async function benchDashboard({
  isQuick,
  deliveries,
  events,
}: DashboardBenchOptions): Promise<void> {
  const machine = machineFacts();
  const base = isQuick ? QUICK : FULL;
  const sizes: Sizes = {
    ...base,
    ...(deliveries !== undefined && { deliveries }),
    ...(events !== undefined && { events }),
  };
  const reports: Partial<Record<string, PartReport>> = {};
  console.error('Starting an installation …');
  const bench = await startBenchInstallation();
  try {
    const seeded = await seed(bench.db, bench.tenant.applicationId, sizes);
    const url = bench.tidings.serviceUrl('api');
    const asAdministrator = {
      'X-Application-Id': bench.tenant.applicationId,
      Authorization: `Bearer ${bench.tidings.local.adminToken}`,
    };
    for (const [part, questions] of Object.entries<readonly DashboardQuery[]>(
      dashboardQueries(seeded, sizes),
    )) {
      console.error(`${part} …`);
      const figures: Figure[] = [];
      for (const question of questions)
        figures.push(
          await measure(question, {
            url,
            headers: question.isAdministrators === true ? asAdministrator : bench.tenant.headers,
            calls: sizes.calls,
          }),
        );
      reports[part] = {
        title: `${TITLES[part as keyof typeof TITLES]}: ${sizes.deliveries} deliveries in one campaign, ${sizes.events} events`,
        figures,
        data: { sizes },
      };
    }
  } finally {
    await bench.stop();
  }
  reportParts({ name: 'dashboard', machine, stores: bench.stores, isQuick, reports });
}

type Asked = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: number;
};

/** Sequential calls: the response time that a single user sees. */
async function measure(
  { name, path }: DashboardQuery,
  { url, headers, calls }: Asked,
): Promise<Figure> {
  const timesMs: number[] = [];
  for (let call = -WARM_UP_CALLS; call < calls; call += 1) {
    const beganAt = performance.now();
    const answer = await fetch(`${url}/api/v1/${path(call + WARM_UP_CALLS)}`, { headers });
    const text = await answer.text();
    if (answer.status !== 200)
      throw new Error(`${name} returned ${answer.status}: ${text.slice(0, 500)}`);
    if (call >= 0) timesMs.push(performance.now() - beganAt);
  }
  return {
    name: `${name}, p95`,
    value: percentile(timesMs, 95),
    unit: 'ms',
    goal: { atMost: P95_MOST_MS },
    note: `p50 ${percentile(timesMs, 50).toFixed(1)} ms`,
  };
}
