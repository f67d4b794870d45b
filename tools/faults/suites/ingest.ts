import { randomFrom } from '@tidings/testing';
import {
  createBatches,
  toEntry,
  lastProfileUpdates,
  type SentEntry,
} from '../load/ingest/batches.ts';
import { isAcknowledged, type Ledger } from '../load/ledger.ts';
import { startLoad, type Load } from '../load/load.ts';
import { watchReadyInstances } from '../load/ready-instances.ts';
import { checkAnswers } from '../oracles/ingest/answers.ts';
import { checkDeadLetters, deadLetterIds } from '../oracles/ingest/dead-letters.ts';
import { untilRead } from '../oracles/ingest/lag.ts';
import {
  INGEST_LONG_FORM_SECONDS,
  INGEST_LONG_PLAN,
  PATIENT_FROM_MS,
  SHORT_PATIENCE,
} from '../plans.ts';
import { FAR_GATEWAY, startIngestRig, type IngestRig } from '../rigs/ingest-rig.ts';
import { INGEST_ROWS } from '../rows/ingest/index.ts';
import type { IngestRow, IngestRun } from '../rows/ingest/ingest-row.ts';
import { untilAccepted } from '../rows/ingest/steps.ts';
import { runFor, noteRecovery } from '../rows/steps.ts';
import { checkRecoveries, createEnding, report, step, watchServices } from './row-frame.ts';
import { checkStoredMessages } from './stored-messages.ts';
import type { RowOptions, RowResult, Suite } from './suite.ts';

/** Faults in the path of events and profiles, from the gateway to Postgres. */
export const ingestSuite: Suite = {
  rows: INGEST_ROWS,
  longPlan: INGEST_LONG_PLAN,
  longFormSeconds: INGEST_LONG_FORM_SECONDS,
  async start({ bus, brokers, plan, signal }) {
    const rig = await startIngestRig({
      bus,
      brokers,
      name: `faults-${brokers}`,
      signal,
      ...(plan.outageMs < PATIENT_FROM_MS && { env: SHORT_PATIENCE }),
    });
    return {
      async run(id, options) {
        const row = INGEST_ROWS.find((one) => one.id === id);
        if (row === undefined) throw new Error(`unknown row: ${id}`);
        return runIngestRow(rig, row, options);
      },
      stop: () => rig.stop(),
    };
  },
};

export type IngestResult = RowResult & {
  /** Batches per second, as planned and as actually sent. */
  readonly requestsPerSecond: number;
  readonly rate: number;
  readonly answers: { readonly '200': number; readonly '503': number; readonly other: number };
  /** Messages of accepted batches. */
  readonly messages: number;
};

const READ_WITHIN_MS = 60_000;

/**
 * Injects a row's fault under load, waits for the system to settle, and runs all oracles.
 * @throws if stopped early
 */
export async function runIngestRow(
  rig: IngestRig,
  row: IngestRow,
  { plan: fullPlan, seed, signal }: RowOptions,
): Promise<IngestResult> {
  const startedAt = performance.now();
  const plan = {
    ...fullPlan,
    requestsPerSecond: Math.min(fullPlan.requestsPerSecond, row.requestsPerSecondMax ?? Infinity),
  };
  const prefix = `${row.id.toLowerCase()}-${seed}`;
  const people = { applications: plan.applications, users: plan.users, prefix };
  const applications = await rig.newApplications(plan.applications);
  const ready = watchReadyInstances(rig.supervisor, {
    gateway: rig.gatewayUrls.near,
    [FAR_GATEWAY]: rig.gatewayUrls.far,
  });
  const shared = {
    rig,
    plan,
    random: randomFrom(seed + 7),
    applications,
    outages: [],
    poison: [],
    recoveries: [],
    violations: [],
    notes: [],
    ending: createEnding(signal),
  };
  const services = watchServices(shared);
  const batches = createBatches({
    random: randomFrom(seed * 1_000 + Number(row.id.slice(1))),
    ...people,
  });
  const load = startBatches(shared, {
    seed,
    next: () => toEntry(batches.next()),
    url: () => (row.target === 'balanced' ? ready.next() : rig.gatewayUrls[row.target ?? 'near']),
    retriesAll: row.retriesAll === true,
  });
  const run: IngestRun = { ...shared, load };
  const lettersBefore = await deadLetterIds(rig.db);

  await step(run, async () => {
    await untilAccepted(run, plan.requestsPerSecond / 2);
    await row.inject(run);
    await runFor(run, 500);
  });
  rig.thaw();
  signal?.throwIfAborted();
  await load.stop();
  await step(run, () => load.sendAll(lastProfileUpdates(people).map(toEntry)));
  load.close();
  await ready.stop();
  noteRecovery(run, {
    what: 'all read at the end',
    ms: await untilRead(rig.bus, READ_WITHIN_MS),
    msMax: READ_WITHIN_MS,
  });
  await step(run, async () => row.afterwards?.(run));
  const figures = await askOracles(run, { row, prefix, lettersBefore });
  return {
    ...figures,
    seed,
    memoryMiB: services.finish(),
    seconds: (performance.now() - startedAt) / 1000,
    violations: run.violations,
  };
}

type BatchesOptions = {
  readonly seed: number;
  readonly next: () => SentEntry;
  /** Of the gateway for the next request. */
  readonly url: () => string;
  readonly retriesAll: boolean;
};

function startBatches(
  { plan, applications }: Omit<IngestRun, 'load'>,
  { seed, next, url, retriesAll }: BatchesOptions,
): Load<SentEntry> {
  return startLoad({
    random: randomFrom(seed),
    requestsPerSecond: plan.requestsPerSecond,
    next,
    requestOf: ({ batch: { application, ...body } }) => ({
      url: `${url()}/`,
      headers: applications[application]?.headers ?? {},
      body: JSON.stringify(body),
    }),
    ...(retriesAll && { retryChance: 1 }),
  });
}

type Questions = {
  readonly row: IngestRow;
  readonly prefix: string;
  readonly lettersBefore: ReadonlySet<string>;
};

async function askOracles(
  run: IngestRun,
  { row, prefix, lettersBefore }: Questions,
): Promise<Omit<IngestResult, 'seed' | 'seconds' | 'memoryMiB' | 'violations'>> {
  const { rig, plan, load, applications, recoveries } = run;
  const { entries } = load.ledger;
  const counts = await checkStoredMessages(run, {
    applications,
    entries,
    prefix,
    users: plan.users,
  });
  const gateways =
    row.target === 'balanced'
      ? ['gateway', FAR_GATEWAY]
      : [row.target === 'far' ? FAR_GATEWAY : 'gateway'];
  const checked = checkAnswers(load.ledger, {
    outages: run.outages,
    mayBreak: row.mayBreak ?? false,
    mustAccept:
      row.mustAccept === 'with Kafka' ? rig.kafkaNodes.length > 0 : (row.mustAccept ?? false),
    cpuWaitMs: (window) => rig.cpuWaits.longestMs(gateways, window),
  });
  report(run, 'answers', checked.faults);
  run.notes.push(...checked.notes);
  const letters = await checkDeadLetters(rig.db, { poison: run.poison, before: lettersBefore });
  report(run, 'dead letters', letters.faults);
  checkRecoveries(run);
  const answers = countAnswers(load.ledger);
  const messages = entries
    .filter(isAcknowledged)
    .reduce((sum, { batch }) => sum + batch.messages.length, 0);
  const rate = load.rate();
  return {
    row: row.id,
    fault: row.fault,
    requestsPerSecond: plan.requestsPerSecond,
    rate,
    answers,
    messages,
    cells: {
      rate: Math.round(rate),
      sent: load.ledger.attempts.length,
      accepted: answers['200'],
      refused: answers['503'],
      broken: answers.other,
      messages,
      ...counts,
      'dead letters': letters.count,
    },
    recoveries,
    notes: run.notes,
    requests: load.ledger.entries,
  };
}

function countAnswers(ledger: Ledger): IngestResult['answers'] {
  const counts = { '200': 0, '503': 0, other: 0 };
  for (const { status } of ledger.attempts)
    counts[status === 200 ? '200' : status === 503 ? '503' : 'other'] += 1;
  return counts;
}
