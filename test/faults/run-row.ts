import { randomFrom } from '@tidings/testing';
import { createBatches, farewells } from './load/batches.ts';
import type { Ledger } from './load/ledger.ts';
import { isAcknowledged } from './load/ledger.ts';
import { startLoad } from './load/load.ts';
import { watchReadyGateways } from './load/ready-gateways.ts';
import { checkAnswers } from './oracles/answers.ts';
import { checkDeadLetters, deadLetterIds } from './oracles/dead-letters.ts';
import { untilRead } from './oracles/lag.ts';
import { alarmsSince, markLogs } from './oracles/logs.ts';
import { checkMessages } from './oracles/messages.ts';
import { checkProfiles } from './oracles/profiles.ts';
import { readStored } from './oracles/stored.ts';
import type { FaultRow, Plan, Recovery, Run, Violation } from './fault-row.ts';
import { FAR_GATEWAY, type Rig } from './rig.ts';
import { goOn, noteRecovery, untilAccepted } from './rows/steps.ts';

/** One line of the table. */
export type RowResult = {
  readonly row: string;
  readonly fault: string;
  readonly seed: number;
  /** Batches a second: as planned, and as the machine let them leave. */
  readonly requestsPerSecond: number;
  readonly rate: number;
  readonly seconds: number;
  readonly requests: number;
  readonly answers: { readonly '200': number; readonly '503': number; readonly other: number };
  /** Every request, for a run that failed. */
  readonly ledger: Ledger;
  /** Messages of batches that were answered 200. */
  readonly messages: number;
  readonly lost: number;
  readonly twice: number;
  readonly unexpected: number;
  readonly deadLetters: number;
  readonly memoryMiB: Readonly<Record<string, string>>;
  readonly recoveries: readonly Recovery[];
  readonly notes: readonly string[];
  readonly violations: readonly Violation[];
};

const READ_WITHIN_MS = 60_000;
/** A pod's limit is 512 MiB. */
const RESIDENT_BYTES_MAX = 400 * 1024 * 1024;
const EXAMPLES_MAX = 5;
const MIB = 1024 * 1024;

/** Far longer than any row takes: one that hangs must not keep the others from their turn. */
const ROW_WITHIN_MS = 600_000;

export type RowOptions = { readonly row: FaultRow; readonly plan: Plan; readonly seed: number; /** Has the row end early. */ readonly signal?: AbortSignal };

/**
 * Does a row's harm to an installation under load, lets it come to rest, and asks all oracles.
 * @throws when it was told to end early
 */
export async function runRow(rig: Rig, { row, plan: fullPlan, seed, signal }: RowOptions): Promise<RowResult> {
  const startedAt = performance.now();
  const plan = { ...fullPlan, requestsPerSecond: Math.min(fullPlan.requestsPerSecond, row.requestsPerSecondMax ?? Infinity) };
  const ending = AbortSignal.any([AbortSignal.timeout(ROW_WITHIN_MS), ...(signal === undefined ? [] : [signal])]);
  const random = randomFrom(seed * 1_000 + Number(row.id.slice(1)));
  const prefix = `${row.id.toLowerCase()}-${seed}`;
  const people = { applications: plan.applications, users: plan.users, prefix };
  const applications = await rig.newApplications(plan.applications);
  const marks = markLogs(rig.logDir);
  const ready = watchReadyGateways(rig.supervisor, { gateway: rig.gatewayUrls.near, [FAR_GATEWAY]: rig.gatewayUrls.far });
  rig.memory.begin();
  const load = startLoad({
    random: randomFrom(seed),
    requestsPerSecond: plan.requestsPerSecond,
    next: createBatches({ random, ...people }).next,
    url: () => (row.target === 'balanced' ? ready.next() : rig.gatewayUrls[row.target ?? 'near']),
    headersOf: ({ application }) => applications[application]?.headers ?? {},
    ...(row.retriesAll && { retryChance: 1 }),
  });
  const run: Run = { rig, plan, random: randomFrom(seed + 7), load, applications, outages: [], poison: [], recoveries: [], violations: [], notes: [], ending };
  const lettersBefore = await deadLetterIds(rig.db);
  const step = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      run.violations.push({ oracle: 'O10', what: `the row did not come to its end: ${error instanceof Error ? error.message : String(error)}` });
    }
  };

  await step(async () => {
    await untilAccepted(run, plan.requestsPerSecond / 2);
    await row.inject(run);
    await goOn(run, 500);
  });
  rig.thaw();
  signal?.throwIfAborted();
  await load.stop();
  await step(() => load.sendAll(farewells(people)));
  load.close();
  await ready.stop();
  noteRecovery(run, { what: 'all read at the end', ms: await untilRead(rig.bus, READ_WITHIN_MS), msMax: READ_WITHIN_MS });
  await step(async () => row.afterwards?.(run));
  return { ...(await askOracles(run, { row, prefix, lettersBefore })), seed, seconds: (performance.now() - startedAt) / 1000, violations: [...run.violations, ...alarmsSince(rig.logDir, marks).map((what) => ({ oracle: 'O8' as const, what }))] };
}

type Questions = { readonly row: FaultRow; readonly prefix: string; readonly lettersBefore: ReadonlySet<string> };

async function askOracles(run: Run, { row, prefix, lettersBefore }: Questions): Promise<Omit<RowResult, 'seed' | 'seconds' | 'violations'>> {
  const { rig, plan, load, applications, violations, recoveries } = run;
  const { entries } = load.ledger;
  const report = (oracle: Violation['oracle'], faults: readonly string[]): void => {
    for (const what of faults.slice(0, EXAMPLES_MAX)) violations.push({ oracle, what });
    if (faults.length > EXAMPLES_MAX) violations.push({ oracle, what: `… and ${faults.length - EXAMPLES_MAX} more` });
  };
  const counts = { lost: 0, twice: 0, unexpected: 0 };
  for (const [application, { id }] of applications.entries()) {
    const own = entries.filter(({ batch }) => batch.application === application);
    const stored = await readStored(rig.db, id);
    const { lost, twice, unexpected } = checkMessages(own, stored);
    report('O1', [...lost, ...twice]);
    report('O2', unexpected);
    report('O6', checkProfiles(own, stored, { prefix, application, users: plan.users }));
    counts.lost += lost.length;
    counts.twice += twice.length;
    counts.unexpected += unexpected.length;
  }
  const gateways = row.target === 'balanced' ? ['gateway', FAR_GATEWAY] : [row.target === 'far' ? FAR_GATEWAY : 'gateway'];
  const answers = checkAnswers(load.ledger, {
    outages: run.outages,
    mayBreak: row.mayBreak ?? false,
    mustAccept: row.mustAccept ?? false,
    cpuWaitMs: (window) => rig.cpuWaits.longestMs(gateways, window),
  });
  report('O7', answers.faults);
  run.notes.push(...answers.notes);
  const peaks = [...rig.memory.peaks()];
  report('O8', peaks.filter(([, { most }]) => most > RESIDENT_BYTES_MAX).map(([name, { most }]) => `${name} had ${Math.round(most / MIB)} MiB`));
  const letters = await checkDeadLetters(rig.db, { poison: run.poison, before: lettersBefore });
  report('O9', letters.faults);
  report('O10', recoveries.filter(({ ms, cpuWaitMs, msMax }) => ms === null || ms - cpuWaitMs > msMax).map(({ what, ms, msMax }) => `${what}: ${ms === null ? 'never' : `${Math.round(ms)} ms`}, not within ${msMax} ms`));
  return {
    row: row.id,
    fault: row.fault,
    requestsPerSecond: plan.requestsPerSecond,
    rate: load.rate(),
    requests: load.ledger.attempts.length,
    answers: countAnswers(load.ledger),
    messages: entries.filter(isAcknowledged).reduce((sum, { batch }) => sum + batch.messages.length, 0),
    ...counts,
    deadLetters: letters.count,
    memoryMiB: Object.fromEntries(peaks.map(([name, { first, most }]) => [name, `${Math.round(first / MIB)} → ${Math.round(most / MIB)}`])),
    recoveries,
    notes: run.notes,
    ledger: load.ledger,
  };
}

function countAnswers(ledger: Ledger): RowResult['answers'] {
  const counts = { '200': 0, '503': 0, other: 0 };
  for (const { status } of ledger.attempts) counts[status === 200 ? '200' : status === 503 ? '503' : 'other'] += 1;
  return counts;
}
