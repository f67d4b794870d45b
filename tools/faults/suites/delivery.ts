import { eventually, randomFrom } from '@tidings/testing';
import { campaignOf, createPushes, type SentPush } from '../load/delivery/pushes.ts';
import { keepBulksGoing } from '../load/delivery/bulks.ts';
import { startLoad, type Load } from '../load/load.ts';
import { watchCounters } from '../oracles/delivery/watch-counters.ts';
import { DELIVERY_LONG_FORM_SECONDS, DELIVERY_LONG_PLAN } from '../plans.ts';
import { startDeliveryRig, type DeliveryRig } from '../rigs/delivery-rig.ts';
import { DELIVERY_ROWS } from '../rows/delivery/index.ts';
import type { DeliveryRow, DeliveryRun } from '../rows/delivery/delivery-row.ts';
import { untilAllSend } from '../rows/delivery/steps.ts';
import { runFor } from '../rows/steps.ts';
import { runDeliveryOracles, type DeliveryFigures } from './delivery-oracles.ts';
import { createEnding, step, watchServices } from './row-frame.ts';
import type { RowOptions, RowResult, Suite } from './suite.ts';

/** Faults in the path of campaigns, from the gateway to every recipient's outcome. */
export const deliverySuite: Suite = {
  rows: DELIVERY_ROWS,
  longPlan: DELIVERY_LONG_PLAN,
  longFormSeconds: DELIVERY_LONG_FORM_SECONDS,
  async start({ bus, signal }) {
    const rig = await startDeliveryRig({ name: 'faults-delivery', bus, signal });
    return {
      async run(id, options) {
        const row = DELIVERY_ROWS.find((one) => one.id === id);
        if (row === undefined) throw new Error(`unknown row: ${id}`);
        const reason = row.leftOut?.() ?? null;
        return reason === null
          ? runDeliveryRow(rig, row, options)
          : leaveOut(row, { seed: options.seed, reason });
      },
      stop: () => rig.stop(),
    };
  },
};

function leaveOut(
  { id, fault }: DeliveryRow,
  { seed, reason }: { readonly seed: number; readonly reason: string },
): RowResult {
  return {
    row: id,
    fault,
    seed,
    seconds: 0,
    cells: {},
    leftOut: reason,
    memoryMiB: {},
    recoveries: [],
    notes: [],
    violations: [],
    requests: [],
  };
}

export type DeliveryResult = RowResult & { readonly figures: DeliveryFigures };

/**
 * Injects a row's fault under load, waits for the system to settle, and runs all oracles.
 * @throws if stopped early
 */
export async function runDeliveryRow(
  rig: DeliveryRig,
  row: DeliveryRow,
  { plan, seed, signal }: RowOptions,
): Promise<DeliveryResult> {
  const startedAt = performance.now();
  const senders = await rig.newSenders(plan.applications, plan.users);
  await rig.sandbox.forget();
  await rig.sandbox.calm();
  const shared = {
    rig,
    plan,
    random: randomFrom(seed + 7),
    senders,
    pushes: createPushes({
      random: randomFrom(seed * 1_000 + Number.parseInt(row.id.slice(1), 10)),
      applications: plan.applications,
      users: plan.users,
      prefix: `${row.id}-${seed}-${senders[0]?.number}`,
    }),
    ambiguousMax: { EMAIL: 0, SMS: 0, WEB_HOOK: 0 },
    canceled: new Set<string>(),
    cells: {},
    recoveries: [],
    violations: [],
    notes: [],
    ending: createEnding(signal, row.withinMs),
  };
  const services = watchServices(shared);
  const counters = watchCounters(
    rig.db,
    senders.map(({ id }) => id),
  );
  const run: DeliveryRun = { ...shared, load: startPushes(shared, seed) };
  const bulks = row.isQuiet === true ? undefined : keepBulksGoing(run);

  await step(run, async () => {
    await untilAllSend(run);
    await row.inject(run);
    await runFor(run, 500);
  });
  rig.thaw();
  await step(run, () => rig.removeAdded());
  const endedAt = performance.now();
  signal?.throwIfAborted();
  // The difficult conditions end with the row; the remaining work must be completed.
  await eventually(() => rig.sandbox.calm(), { timeoutMs: 30_000 });
  await bulks?.stop();
  await run.load.stop();
  run.load.close();
  const figures = await runDeliveryOracles(run, { endedAt, counters });
  await step(run, async () => row.afterwards?.(run));
  return {
    ...toResult(run, row),
    seed,
    seconds: (performance.now() - startedAt) / 1000,
    memoryMiB: services.finish(),
    cells: { ...listCells(figures), ...run.cells },
    figures,
  };
}

function startPushes(
  { rig, plan, senders, pushes }: Omit<DeliveryRun, 'load'>,
  seed: number,
): Load<SentPush> {
  return startLoad<SentPush>({
    random: randomFrom(seed),
    requestsPerSecond: plan.requestsPerSecond,
    next: pushes.next,
    requestOf: ({ application, key, body }) => ({
      url: `${rig.gatewayUrl}/push`,
      headers: { ...senders[application]?.headers, 'Idempotency-Key': key },
      body,
    }),
    retryChance: 1,
  });
}

function toResult(
  { load, recoveries, notes, violations }: DeliveryRun,
  { id, fault, isComparison }: DeliveryRow,
): Omit<DeliveryResult, 'seed' | 'seconds' | 'memoryMiB' | 'cells' | 'figures'> {
  return {
    row: id,
    fault,
    recoveries,
    notes,
    violations,
    requests: load.ledger.entries.map((push) => ({
      ...push,
      body: undefined,
      recipients: push.recipients.length,
      campaignId: campaignOf(push),
    })),
    ...(isComparison === true && { isComparison }),
  };
}

function listCells({
  campaigns,
  recipients,
  reachedTwice,
  lost,
  unknown,
  resolvedMs,
  differences,
  normalMs,
}: DeliveryFigures): Readonly<Record<string, string | number>> {
  const seconds = (ms: number | null): string => (ms === null ? 'never' : (ms / 1000).toFixed(1));
  return {
    campaigns,
    recipients,
    twice: reachedTwice,
    lost,
    unknown,
    'resolved s': seconds(resolvedMs),
    differences,
    'normal s': seconds(normalMs),
  };
}
