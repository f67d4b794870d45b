import { eventually } from '@tidings/testing';
import type { SentPush } from '../../load/delivery/pushes.ts';
import { checkOutcomes, countOutcomes, type Outcomes } from '../../oracles/delivery/attempts.ts';
import { countOpen } from '../../oracles/delivery/stored-deliveries.ts';
import type { Stop } from '../../oracles/delivery/stops.ts';
import {
  checkFlat,
  compareHalves,
  mebibytes,
  type Halves,
  type MemorySample,
} from '../../oracles/flat-memory.ts';
import { watchFlatMemory } from '../../oracles/watch-flat-memory.ts';
import { WORKERS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { report } from '../../suites/row-frame.ts';
import { noteRecovery } from '../steps.ts';
import {
  cancelAfter,
  checkStops,
  pauseAfter,
  read,
  start,
  untilOver,
  type Started,
} from './control.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';

/** Channel of the large campaign: at-most-once, with callbacks. */
const LARGE: SentChannel = 'SMS';
/**
 * Channels of the paused and canceled campaigns: one at-most-once, one at-least-once. Both use
 * HTTP, so that the rate limit can reject them.
 */
const CHANNELS = ['SMS', 'WEB_HOOK'] as const satisfies readonly SentChannel[];

/** Typical behaviour of a provider under load. A slow response is far below the timeout. */
const SLOW = { kind: 'delay', rate: 0.02, delayMs: 1_000 } as const;
const DROPPED = { kind: 'drop_reply', rate: 0.02 } as const;
const TOO_MANY = { kind: 'status', rate: 0.05, status: 429, retryAfterSeconds: 2 } as const;

/** Share of the users. */
const CONTROLLED_SHARE = 0.1;
const PAUSED = { share: 0.3, forMs: 6_000 };
const CANCELED_SHARE = 0.4;

/** Allowed time per delivery, and for the last retries regardless of size. */
const WORK_MS_PER_DELIVERY = 20;
const LAST_RETRIES_MS = 120_000;
const LOOK_EVERY_MS = 500;

export const largeCampaignSent: DeliveryRow = {
  id: 'D24',
  fault:
    'a large campaign with 2 % slow, 2 % dropped and 5 % 429 responses; others paused, resumed, canceled',
  brokers: 1,
  // Only pushes to one recipient besides, so that memory and rate can be attributed.
  isQuiet: true,
  withinMs: 45 * 60_000,
  plan: { applications: 1, users: 100_000, requestsPerSecond: 3 },
  async inject(run) {
    const struck = await disturbProviders(run);
    await whileFlat(run, ['campaigns', WORKERS[LARGE]], () => sendLarge(run));
    const stops = await Promise.all(
      CHANNELS.map(async (channel) => [
        await pauseAndResume(run, channel),
        await cancelAfter(run, controlled(run, channel), CANCELED_SHARE),
      ]),
    );
    checkStops(run, stops.flat());
    await compareWithProviders(run, struck);
  },
};

/** Number of provider faults so far. */
type Struck = {
  readonly channel: SentChannel;
  count(): Promise<{ readonly slow: number; readonly dropped: number; readonly limited: number }>;
};

async function disturbProviders({ rig }: DeliveryRun): Promise<readonly Struck[]> {
  const counters = await rig.sandbox.behave(
    CHANNELS.flatMap((channel) =>
      [SLOW, DROPPED, TOO_MANY].map((fault) => ({ channel, ...fault })),
    ),
  );
  return CHANNELS.map((channel, index) => ({
    channel,
    async count() {
      const [slow = 0, dropped = 0, limited = 0] = await Promise.all(
        counters.slice(index * 3, index * 3 + 3).map((counter) => counter()),
      );
      return { slow, dropped, limited };
    },
  }));
}

async function sendLarge(run: DeliveryRun): Promise<void> {
  const started = await start(run, run.pushes.all(LARGE, run.plan.users));
  await complete(run, started, `${LARGE} to ${run.plan.users}`);
}

function controlled({ pushes, plan }: DeliveryRun, channel: SentChannel): SentPush {
  return pushes.all(channel, Math.ceil(plan.users * CONTROLLED_SHARE));
}

async function pauseAndResume(run: DeliveryRun, channel: SentChannel): Promise<Stop> {
  const { started, stop } = await pauseAfter(run, controlled(run, channel), PAUSED);
  await complete(run, started, `${channel}, paused and resumed`);
  return stop;
}

/** In time, and without help: retry delays are the product's own here. */
export async function complete(run: DeliveryRun, started: Started, what: string): Promise<void> {
  const msMax = LAST_RETRIES_MS + started.push.recipients.length * WORK_MS_PER_DELIVERY;
  const ms = await untilOver(run, started, { timeoutMs: 2 * msMax, intervalMs: LOOK_EVERY_MS });
  noteRecovery(run, { what: `${what}: completed`, ms, msMax });
  const { status, counts, failures, timing } = await read(started);
  if (status !== 'completed')
    run.violations.push({ oracle: 'an outcome for everyone', what: `${what}: it is ${status}` });
  const seconds = (timing.durationMs ?? ms ?? msMax) / 1000;
  run.notes.push(
    `${what}: ${counts.successful} successful, ${counts.failed} failed ${JSON.stringify(failures)}, ${counts.unknown} unknown in ${seconds.toFixed(1)} s, ${Math.round(counts.total / seconds)} a second`,
  );
}

/** Healthy: the memory of the services does not depend on the completed share of the work. */
async function whileFlat(
  run: DeliveryRun,
  names: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const watches = await Promise.all(names.map((name) => watchFlatMemory(run.rig, name)));
  await work();
  const samples = await Promise.all(watches.map((watch) => watch.stop()));
  for (const [index, name] of names.entries()) judgeMemory(run, name, samples[index] ?? []);
}

function judgeMemory(run: DeliveryRun, name: string, samples: readonly MemorySample[]): void {
  const halves = compareHalves(samples);
  if (halves === undefined) {
    run.notes.push(
      `${name}: ${samples.length} memory samples are too few to tell whether it is flat`,
    );
    return;
  }
  const { resident, liveHeap } = halves;
  const formatHalves = ({ first, second }: Halves): string =>
    `${mebibytes(first)} MiB in the first half, ${mebibytes(second)} in the second`;
  run.notes.push(
    `${name}, at most: resident ${formatHalves(resident)}; live heap ${formatHalves(liveHeap)}`,
  );
  report(run, 'healthy', checkFlat(name, halves));
}

/**
 * True reports: the attempt log matches the provider faults, and at most the dropped responses are
 * ambiguous.
 */
async function compareWithProviders(run: DeliveryRun, struck: readonly Struck[]): Promise<void> {
  const { rig, senders, ambiguousMax, notes } = run;
  const applicationIds = senders.map(({ id }) => id);
  // No load: a message sent between two reads would be a difference.
  await run.load.stop();
  await eventually(
    async () => {
      const { deliveries } = await countOpen(rig.db, applicationIds);
      if (deliveries > 0) throw new Error(`${deliveries} deliveries have no outcome`);
    },
    { timeoutMs: LAST_RETRIES_MS, intervalMs: LOOK_EVERY_MS },
  );
  const outcomes = await countOutcomes(rig.db, applicationIds);
  const byEmail = checkOutcomes(outcomes, { channel: 'EMAIL', dropped: 0, limited: 0 });
  ambiguousMax.EMAIL += byEmail.tooLate;
  report(run, 'true reports', byEmail.violations);
  for (const { channel, count } of struck) {
    const { slow, dropped, limited } = await count();
    if (slow === 0 || dropped === 0 || limited === 0)
      throw new Error(
        `no fault was injected at the provider of ${channel}: the fault had no effect`,
      );
    const { violations, tooLate } = checkOutcomes(outcomes, { channel, dropped, limited });
    if (channel === 'SMS') ambiguousMax.SMS += dropped + tooLate;
    notes.push(
      `${channel}: ${slow} answers slow, ${dropped} dropped, ${limited} rate-limit rejections; attempts in the log: ${describeOutcomes(outcomes, channel)}`,
    );
    report(run, 'true reports', violations);
  }
}

function describeOutcomes(outcomes: readonly Outcomes[], wanted: SentChannel): string {
  return outcomes
    .flatMap(({ channel, outcome, providerCode, attempts }) =>
      channel === wanted ? [`${attempts} ${outcome} (${providerCode})`] : [],
    )
    .join(', ');
}
