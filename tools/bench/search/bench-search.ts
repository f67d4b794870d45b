import { systemIds } from '@tidings/platform';
import { startBenchInstallation } from '../installation/bench-installation.ts';
import { createTenant } from '../installation/tenants.ts';
import type { Figure } from '../report/figures.ts';
import { machineFacts } from '../report/machine.ts';
import { percentile } from '../report/percentile.ts';
import { reportParts } from '../report/report-parts.ts';
import { FULL, QUICK, seed } from './seed.ts';

const P95_MOST_MS = 150;
const RATIO_MOST = 1.5;
const WARM_UP_CALLS = 5;

/** What is typed or pasted, by the number of the call. */
type Typed = (call: number) => string;

const numbered = (call: number): string => String((call * 7_919) % 400_000).padStart(8, '0');
const QUESTIONS: Readonly<Record<string, Typed>> = {
  'a letter': (call) => 'abehmuz'.charAt(call % 7),
  'a first name': (call) => ['anna', 'Zoe\u0308', 'петр', 'אנה', '太郎'][call % 5] ?? '',
  'a first and a last name': (call) => `anna ber${call % 400}`,
  'a last name in another script': (call) => `соловьев${call % 400}`,
  'an id': (call) => `u-${numbered(call)}`,
  'the beginning of an address': (call) => `person${numbered(call).slice(0, 6)}`,
  'a phone number': (call) => `+49151${numbered(call)}`,
  'words of a campaign': (call) => `week offer ${call}`,
  'a tag that all have': () => 'newsletter',
  'what nothing has': (call) => `qqq${call}`,
  'an id of nothing': () => systemIds.uuid(),
};

/** The search of the dashboard in an application with many people, in turn with an empty one. */
export async function benchSearch({
  isQuick,
  users,
}: {
  readonly isQuick: boolean;
  readonly users?: number;
}): Promise<void> {
  const machine = machineFacts();
  const sizes = { ...(isQuick ? QUICK : FULL), ...(users !== undefined && { users }) };
  console.error('Starting an installation …');
  const bench = await startBenchInstallation();
  try {
    const empty = await createTenant(bench.db, { name: 'Empty' });
    await seed(bench.db, bench.tenant.applicationId, sizes);
    const url = `${bench.tidings.serviceUrl('api')}/api/v1/search`;
    const figures: Figure[] = [];
    for (const [name, typed] of Object.entries(QUESTIONS)) {
      console.error(`${name} …`);
      const [full, none] = await measure(typed, {
        url,
        callers: [bench.tenant.headers, empty.headers],
        calls: sizes.calls,
      });
      if (full === undefined || none === undefined) throw new Error('each caller has times');
      figures.push(...toFigures(name, full, none));
    }
    const title = `Search: ${sizes.users} users, ${sizes.campaigns} campaigns, beside none`;
    const reports = { search: { title, figures, data: { sizes } } };
    reportParts({ name: 'search', machine, stores: bench.stores, isQuick, reports });
  } finally {
    await bench.stop();
  }
}

type Times = {
  readonly ms: readonly number[];
  /** Answers that left something out. */
  readonly incomplete: number;
};

function toFigures(name: string, { ms, incomplete }: Times, none: Times): readonly Figure[] {
  const [p50, empty] = [percentile(ms, 50), percentile(none.ms, 50)];
  return [
    {
      name: `${name}, p95`,
      value: percentile(ms, 95),
      unit: 'ms',
      goal: { atMost: P95_MOST_MS },
      note: `${incomplete} of ${ms.length} incomplete`,
    },
    {
      name: '  p50 beside an empty application',
      value: p50 / empty,
      unit: 'ratio',
      goal: { atMost: RATIO_MOST },
      note: `${p50.toFixed(1)} beside ${empty.toFixed(1)} ms`,
    },
  ];
}

/** Sequential calls, of each caller in turn: the response times that a single person sees. */
async function measure(
  typed: Typed,
  {
    url,
    callers,
    calls,
  }: {
    readonly url: string;
    readonly callers: readonly Readonly<Record<string, string>>[];
    readonly calls: number;
  },
): Promise<readonly Times[]> {
  const times = callers.map(() => ({ ms: [] as number[], incomplete: 0 }));
  for (let call = -WARM_UP_CALLS; call < calls; call += 1)
    for (const [at, headers] of callers.entries()) {
      const q = encodeURIComponent(typed(call + WARM_UP_CALLS));
      const beganAt = performance.now();
      const answer = await fetch(`${url}?q=${q}`, { headers });
      const text = await answer.text();
      const tookMs = performance.now() - beganAt;
      if (answer.status !== 200) throw new Error(`${q} returned ${answer.status}: ${text}`);
      const own = times[at];
      if (call < 0 || own === undefined) continue;
      own.ms.push(tookMs);
      const { incomplete } = JSON.parse(text) as { readonly incomplete: readonly string[] };
      if (incomplete.length > 0) own.incomplete += 1;
    }
  return times;
}
