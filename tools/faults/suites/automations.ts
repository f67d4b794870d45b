import { toProgram } from '@tidings/automations/program';
import { eventually, randomFrom } from '@tidings/testing';
import { CART_AUTOMATION, EVENTS, planCarts } from '../load/automations/carts.ts';
import { startFeed } from '../load/automations/feed.ts';
import { AUTOMATIONS_LONG_FORM_SECONDS, AUTOMATIONS_LONG_PLAN } from '../plans.ts';
import { ENGINE, ENGINES, startAutomationsRig } from '../rigs/automations-rig.ts';
import type { DeliveryRig } from '../rigs/delivery-rig.ts';
import type { AutomationsRow, AutomationsRun } from '../rows/automations/automations-row.ts';
import { AUTOMATIONS_ROWS } from '../rows/automations/index.ts';
import { activateAutomation } from '../rows/automations/own-automation.ts';
import { runAutomationsOracles, type AutomationsFigures } from './automations-oracles.ts';
import { hurryWaits } from './hurry-waits.ts';
import { checkRecoveries, createEnding, step, watchServices } from './row-frame.ts';
import type { RowOptions, RowResult, Suite } from './suite.ts';

/** Faults in the way of automations, from the gateway to the mails of their runs. */
export const automationsSuite: Suite = {
  rows: AUTOMATIONS_ROWS,
  longPlan: AUTOMATIONS_LONG_PLAN,
  longFormSeconds: AUTOMATIONS_LONG_FORM_SECONDS,
  async start({ bus, signal }) {
    const rig = await startAutomationsRig({ name: 'faults-automations', bus, signal });
    return {
      async run(id, options) {
        const row = AUTOMATIONS_ROWS.find((one) => one.id === id);
        if (row === undefined) throw new Error(`unknown row: ${id}`);
        return runAutomationsRow(rig, row, options);
      },
      stop: () => rig.stop(),
    };
  },
};

export type AutomationsResult = RowResult & { readonly figures: AutomationsFigures };
export type AutomationsOptions = RowOptions & {
  /** Cuts waits of a minute short, for every test run. */
  readonly isHurried?: boolean;
};

/** The provider answers slowly on a machine with many times more work than cores. */
const CALM_WITHIN_MS = 180_000;
/** The full form takes as long as its events at their rate, and no less than this. */
const ROW_WITHIN_MS = 900_000;

/**
 * Injects a row's fault while people enter and their waits end, lets all runs end, and runs all
 * oracles.
 * @throws if stopped early
 */
export async function runAutomationsRow(
  rig: DeliveryRig,
  row: AutomationsRow,
  { plan, seed, signal, isHurried = false }: AutomationsOptions,
): Promise<AutomationsResult> {
  const startedAt = performance.now();
  const [sender] = await rig.newSenders(1, plan.users, ['EMAIL']);
  if (sender === undefined) throw new Error('no application was made');
  if (row.isQuiet !== true)
    await activateAutomation(sender, { slug: 'cart', events: EVENTS, definition: CART_AUTOMATION });
  await rig.supervisor.add({ name: ENGINES[1], program: ENGINE });
  await rig.sandbox.forget();
  await rig.sandbox.calm();
  const random = randomFrom(seed + 7);
  const prefix = `${row.id}-${seed}-${sender.number}`;
  const carts = planCarts({ ...plan, random, prefix });
  const feedMs = (carts.requests.length / plan.requestsPerSecond) * 1_000;
  const ending = createEnding(signal, ROW_WITHIN_MS + feedMs);
  const run: AutomationsRun = {
    rig,
    plan,
    random,
    sender,
    prefix,
    load:
      row.isQuiet === true
        ? null
        : {
            carts,
            feed: startFeed(carts, {
              ...plan,
              random: randomFrom(seed),
              url: rig.gatewayUrl,
              headers: sender.headers,
              signal: ending,
            }),
          },
    cells: {},
    allowed: { unknown: 0 },
    recoveries: [],
    violations: [],
    notes: [],
    ending,
  };
  const services = watchServices(run);
  const hurrying = isHurried ? await hurryWaits(rig.db, sender.id) : undefined;
  await step(run, () => row.inject(run));
  rig.thaw();
  signal?.throwIfAborted();
  await step(run, async () => {
    await eventually(() => rig.sandbox.calm(), { timeoutMs: CALM_WITHIN_MS });
  });
  await run.load?.feed.done();
  const figures = await runAutomationsOracles(run, {
    program: toProgram(CART_AUTOMATION),
    isHurried,
    endedAt: performance.now(),
  });
  await step(run, async () => row.afterwards?.(run));
  checkRecoveries(run);
  await hurrying?.stop();
  await step(run, () => rig.removeAdded());
  run.load?.feed.load.close();
  return {
    row: row.id,
    fault: row.fault,
    seed,
    seconds: (performance.now() - startedAt) / 1_000,
    cells: { ...listCells(figures), ...run.cells },
    memoryMiB: services.finish(),
    recoveries: run.recoveries,
    notes: run.notes,
    violations: run.violations,
    requests: carts.requests.map((request) => ({ ...request, events: request.events.length })),
    ...(row.isComparison === true && { isComparison: true }),
    figures,
  };
}

function listCells({
  events,
  runs,
  timers,
  mails,
  repeats,
  missing,
  unknown,
  differences,
  lateMs,
  endedMs,
}: AutomationsFigures): Readonly<Record<string, string | number>> {
  return {
    events,
    runs,
    timers,
    mails,
    repeats,
    missing,
    unknown,
    differences,
    'late p99 s': (lateMs / 1_000).toFixed(1),
    'ended s': endedMs === null ? 'never' : (endedMs / 1_000).toFixed(1),
  };
}
