import { STATE_GROUPS, type DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Database } from '@tidings/postgres/database';
import type { Application } from '../application.ts';
import type { ExternalServices } from '../external-services.ts';
import { evaluateRuns } from './evaluate-runs.ts';
import { listFound } from './list-found.ts';
import type { CallerReport, Evaluation, StreamReport } from './report.ts';
import { settled } from './settled.ts';

const SETTLED_WITHIN_MS = 180_000;
const MESSAGES_PER_BATCH = 2;
const SHOWN = 3;

/** Tolerated effects of a disruption. */
export type Allowance = {
  readonly failures?: boolean;
  /** Sends with an unknown outcome. */ readonly unknown?: number;
  /** How late a delay of an automation may end, in milliseconds; default: it is only told. */
  readonly lateMs?: number;
};

/**
 * Compares the responses with what was stored and sent: nothing accepted is lost, nothing is
 * duplicated.
 */
export async function evaluateLoad(
  external: ExternalServices,
  { applicationId }: Application,
  {
    prefix,
    report,
    allowance = {},
  }: { readonly prefix: string; readonly report: CallerReport; readonly allowance?: Allowance },
): Promise<Evaluation> {
  const own = { db: external.db, applicationId, prefix };
  const events = await evaluateEvents(own, report.ingest);
  const sends = await evaluateSends(own, {
    external,
    report: report.push,
    unknownMax: allowance.unknown ?? 0,
  });
  const runs = await evaluateRuns(own, {
    report: report.ingest,
    unknownMax: allowance.unknown ?? 0,
    lateMsMax: allowance.lateMs,
  });
  const failures =
    allowance.failures === true
      ? []
      : [...failedTwice('POST /', report.ingest), ...failedTwice('POST /push', report.push)];
  return {
    notes: [
      `${summarize('POST /', report.ingest)}; ${summarize('POST /push', report.push)}`,
      ...sends.notes,
      ...runs.notes,
    ],
    violations: [...failures, ...events, ...sends.violations, ...runs.violations],
  };
}

type Own = { readonly db: Database; readonly applicationId: string; readonly prefix: string };

const summarize = (what: string, { sent, retried, failures, slowestMs }: StreamReport): string =>
  `${what}: ${sent} sent, ${retried} retried, ${failures.length} failed, slowest ${slowestMs} ms`;

const failedTwice = (what: string, { failures }: StreamReport): readonly string[] =>
  failures.length === 0
    ? []
    : [
        `${failures.length} of ${what} failed twice: ${failures
          .slice(0, SHOWN)
          .map(({ n, first, second }) => `${n}: ${first}, then ${second}`)
          .join('; ')}`,
      ];

async function evaluateEvents(
  { db, applicationId, prefix }: Own,
  { accepted, sent }: StreamReport,
): Promise<readonly string[]> {
  const expected = accepted.flatMap((n) =>
    Array.from({ length: MESSAGES_PER_BATCH }, (_, index) => `${prefix}-${n}-${index}`),
  );
  const read = async (): Promise<Map<string, number>> => {
    const { rows } = await db.sql.query<{ message_id: string; n: string }>(
      'select message_id, count(*) as n from events where application_id = $1 and message_id like $2 group by 1',
      [applicationId, `${prefix}-%`],
    );
    return new Map(rows.map(({ message_id, n }) => [message_id, Number(n)]));
  };
  const stored = await settled(
    read,
    (found) => expected.every((id) => found.has(id)),
    SETTLED_WITHIN_MS,
  );
  const lost = expected.filter((id) => !stored.has(id));
  const twice = [...stored].filter(([, n]) => n > 1).map(([id]) => id);
  return [
    ...(sent === 0 ? ['no batch was sent'] : []),
    ...listFound(lost, 'events lost'),
    ...listFound(twice, 'events stored twice'),
  ];
}

type Send = {
  readonly title: string;
  readonly campaigns: number;
  readonly state: DeliveryState | null;
  readonly deliveries: number;
};

/** By title, which is different in each push. */
async function readSends({ db, applicationId, prefix }: Own): Promise<readonly Send[]> {
  const { rows } = await db.sql.query<Send>(
    `select c.message->>'title' as title, count(distinct c.id)::int as campaigns, min(d.state::text) as state, count(d.*)::int as deliveries
     from campaigns c left join deliveries d on d.campaign_id = c.id where c.application_id = $1 and c.message->>'title' like $2 group by 1`,
    [applicationId, `${prefix}-%`],
  );
  return rows;
}

async function evaluateSends(
  own: Own,
  {
    external,
    report,
    unknownMax,
  }: {
    readonly external: ExternalServices;
    readonly report: StreamReport;
    readonly unknownMax: number;
  },
): Promise<Evaluation> {
  const isDone = ({ state }: Send): boolean => state !== null && STATE_GROUPS[state] !== 'pending';
  const rows = await settled(
    () => readSends(own),
    (found) => found.length >= report.accepted.length && found.every(isDone),
    SETTLED_WITHIN_MS,
  );
  const known = new Map(rows.map((row) => [row.title, row]));
  const lost = report.accepted.filter((n) => !known.has(`${own.prefix}-${n}`));
  const doubled = rows.filter(({ campaigns, deliveries }) => campaigns !== 1 || deliveries > 1);
  const unsent = rows.filter(({ state }) => state !== 'sent' && state !== 'unknown');
  const unknown = rows.filter(({ state }) => state === 'unknown').length;
  const { repeated } = await mails(external);
  return {
    notes: unknown === 0 ? [] : [`${unknown} sends with unknown outcome`],
    violations: [
      ...listFound(lost, 'accepted pushes have no campaign'),
      ...listFound(doubled, 'pushes are duplicated', ({ title }) => title),
      ...listFound(unsent, 'messages were not sent', ({ title, state }) => `${title} is ${state}`),
      ...(unknown <= unknownMax
        ? []
        : [`${unknown} sends with unknown outcome, ${unknownMax} allowed`]),
      ...(repeated === 0 ? [] : [`${repeated} mails were sent twice`]),
    ],
  };
}

/** Counts all mails since the start; a repeated one stays counted. */
async function mails({ sandboxUrl }: ExternalServices): Promise<{ readonly repeated: number }> {
  const answer = await fetch(`${sandboxUrl}/api/messages/counts?channel=EMAIL`);
  return (await answer.json()) as { readonly repeated: number };
}
