import type { Database } from '@tidings/postgres/database';
import { STATE_GROUPS, type DeliveryState } from '@tidings/contracts/push/deliveries';
import { listFound } from './list-found.ts';
import type { Evaluation, StreamReport } from './report.ts';
import { settled } from './settled.ts';

/** As the automation of the application says. */
const DELAY_MS = 60_000;
const SETTLED_WITHIN_MS = DELAY_MS + 180_000;

type Own = { readonly db: Database; readonly applicationId: string; readonly prefix: string };

/** Of one batch. */
export type StoredCall = {
  readonly batch: string;
  readonly runs: number;
  readonly sends: number;
  readonly deliveries: number;
  readonly state: DeliveryState | null;
  /** How long after its instant the delay ended; null while it waits. */
  readonly lateMs: number | null;
};

/** Each accepted batch is one run, each run one mail, and each delay ends when it should. */
export async function evaluateRuns(
  own: Own,
  {
    report,
    unknownMax,
    lateMsMax,
  }: {
    readonly report: StreamReport;
    readonly unknownMax: number;
    readonly lateMsMax: number | undefined;
  },
): Promise<Evaluation> {
  const expected = report.accepted.map((n) => `${own.prefix}-${n}`);
  const found = await settled(
    () => readCalls(own),
    (calls) => calls.length >= expected.length && calls.every(isDone),
    SETTLED_WITHIN_MS,
  );
  return compareRuns(found, { expected, unknownMax, lateMsMax });
}

const isDone = ({ state }: StoredCall): boolean =>
  state !== null && STATE_GROUPS[state] !== 'pending';

export function compareRuns(
  found: readonly StoredCall[],
  {
    expected,
    unknownMax,
    lateMsMax = Infinity,
  }: {
    readonly expected: readonly string[];
    readonly unknownMax: number;
    readonly lateMsMax: number | undefined;
  },
): Evaluation {
  const known = new Map(found.map((call) => [call.batch, call]));
  const missing = expected.filter((batch) => !known.has(batch));
  const twice = found.filter((call) => call.runs > 1 || call.sends > 1 || call.deliveries > 1);
  const unsent = found.filter(({ state }) => state !== 'sent' && state !== 'unknown');
  const unknown = found.filter(({ state }) => state === 'unknown');
  const late = found.filter(({ lateMs }) => lateMs !== null && lateMs > lateMsMax);
  const latest = Math.max(0, ...found.map(({ lateMs }) => lateMs ?? 0));
  const nameOf = ({ batch }: StoredCall): string => batch;
  return {
    notes: [
      `${found.length} runs; the latest delay ended ${Math.round(latest)} ms after its instant`,
    ],
    violations: [
      ...(expected.length === 0 ? ['no batch was accepted'] : []),
      ...listFound(missing, 'accepted batches have no run'),
      ...listFound(twice, 'runs or their mails are duplicated', nameOf),
      ...listFound(unsent, 'runs have no sent mail', ({ batch, state }) => `${batch} is ${state}`),
      ...(unknown.length <= unknownMax
        ? []
        : listFound(unknown, 'mails of runs are unknown', nameOf)),
      ...listFound(
        late,
        `delays ended more than ${lateMsMax} ms late`,
        ({ batch, lateMs }) => `${batch} by ${Math.round(lateMs ?? 0)} ms`,
      ),
    ],
  };
}

async function readCalls({ db, applicationId, prefix }: Own): Promise<readonly StoredCall[]> {
  const { rows } = await db.sql.query<StoredCall>(
    `select r.entry_key as batch, count(distinct r.id)::int as runs, count(distinct s.line)::int as sends,
       count(distinct d.id)::int as deliveries, min(d.state::text) as state,
       max(extract(epoch from e.at - w.at) * 1000 - $3)::float8 as "lateMs"
     from automation_runs r
     left join automation_trace w on w.run_id = r.id and w.node = 'minute' and w.outcome = 'waiting'
     left join automation_trace e on e.run_id = r.id and e.node = 'minute' and e.outcome = 'passed'
     left join automation_trace s on s.run_id = r.id and s.outcome = 'sent'
     left join deliveries d on d.id = s.delivery_id and d.application_id = r.application_id
     where r.application_id = $1 and r.entry_key like $2 group by 1`,
    [applicationId, `${prefix}-%`, DELAY_MS],
  );
  return rows;
}
