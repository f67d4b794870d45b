import { randomFrom } from '@tidings/testing';
import { callApi } from '@tidings/local';
import { createPushes, type SentPush } from '../load/delivery/pushes.ts';
import { keepBulksGoing } from '../load/delivery/bulks.ts';
import { startListeners } from '../load/devices/listeners.ts';
import { createDevicePushes, type DevicePush } from '../load/devices/pushes.ts';
import {
  createBatches,
  toEntry,
  lastProfileUpdates,
  type SentEntry,
} from '../load/ingest/batches.ts';
import type { Plan } from '../fault-row.ts';
import { startLoad } from '../load/load.ts';
import { createRetryingCaller } from '../load/retrying-caller.ts';
import { startReads } from '../load/reads.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../load/webhook-receiver.ts';
import { watchCounters } from '../oracles/delivery/watch-counters.ts';
import { deadLetterIds } from '../oracles/ingest/dead-letters.ts';
import { ROLLING_LONG_FORM_SECONDS, ROLLING_LONG_PLAN } from '../plans.ts';
import { newAudience, type Audience } from '../rigs/audience.ts';
import type { Sender } from '../rigs/delivery-rig.ts';
import type { TestApplication } from '../rigs/rig.ts';
import { startRollingRig, type RollingRig } from '../rigs/rolling-rig.ts';
import { untilAllSend } from '../rows/delivery/steps.ts';
import { ROLLING_ROWS } from '../rows/rolling/index.ts';
import type { RollingRow, RollingRun } from '../rows/rolling/rolling-row.ts';
import { runFor } from '../rows/steps.ts';
import { runRollingOracles, type RollingFigures } from './rolling-oracles.ts';
import type { AutomationsFigures } from './automations-oracles.ts';
import { peopleWithCarts, prepareCarts, startCarts } from './carts-beside.ts';
import { createEnding, step, watchServices } from './row-frame.ts';
import type { RowOptions, RowResult, Suite } from './suite.ts';

/** Restarts of every service under the complete load of an installation. */
export const rollingSuite: Suite = {
  rows: ROLLING_ROWS,
  longPlan: ROLLING_LONG_PLAN,
  longFormSeconds: ROLLING_LONG_FORM_SECONDS,
  async start({ bus, signal }) {
    const rig = await startRollingRig({ name: 'faults-rolling', bus, signal });
    return {
      async run(id, options) {
        const row = ROLLING_ROWS.find((one) => one.id === id);
        if (row === undefined) throw new Error(`unknown row: ${id}`);
        return runRollingRow(rig, row, options);
      },
      stop: () => rig.stop(),
    };
  },
};

/** Batches per push to one recipient. */
const BATCHES_PER_PUSH = 5;
const DEVICE_PUSHES_PER_PUSH = 0.5;
const READS_PER_PUSH = 1;
/** Users with three devices each, one of which always listens. */
const AUDIENCE_MAX = 24;
const INGEST_USERS_MAX = 100;
/** Of a reader or device while processes are cut off. */
const TRIES_MAX = 6;

export type RollingResult = RowResult & { readonly figures: RollingFigures & RunFigures };
export type RollingOptions = RowOptions & {
  /** Cuts waits of automations short, for every test run. */
  readonly isHurried?: boolean;
};

/**
 * Restarts services while events, campaigns by all channels, devices, webhooks and readers
 * continue. Then waits for the system to settle and runs all oracles.
 * @throws if stopped early
 */
export async function runRollingRow(
  rig: RollingRig,
  row: RollingRow,
  { plan, seed, signal, isHurried = false }: RollingOptions,
): Promise<RollingResult> {
  const startedAt = performance.now();
  const prefix = `rolling-${seed}-${Math.round(startedAt)}`;
  const shoppers = peopleWithCarts(plan.requestsPerSecond, isHurried);
  const setup = await prepareSetup(rig, { plan, prefix, shoppers });
  const { people, senders, audience, receiver } = setup;
  const pushes = createPushes({
    random: randomFrom(seed * 1_000 + 15),
    applications: plan.applications,
    users: plan.users,
    prefix: `${prefix}-${senders[0]?.number}`,
  });
  const shared = {
    rig,
    plan,
    random: randomFrom(seed + 7),
    senders,
    audience,
    receiver,
    pushes,
    ambiguousMax: { EMAIL: 0, SMS: 0, WEB_HOOK: 0 },
    canceled: new Set<string>(),
    cells: {},
    recoveries: [],
    violations: [],
    notes: [],
    frozen: [],
    ending: createEnding(signal, row.withinMs),
  };
  const services = watchServices(shared);
  const counters = watchCounters(
    rig.db,
    [...senders, audience].map(({ id }) => id),
  );
  const lettersBefore = await deadLetterIds(rig.db);
  const { cutsOff = false } = row;
  const traffic = startTraffic(setup, { plan, seed, pushes, cutsOff });
  const { load, devices, ingest, caller } = traffic;
  const run: RollingRun = { ...shared, load };
  const bulks = keepBulksGoing(run);
  const carts =
    setup.shop === null
      ? null
      : await startCarts(shared, { sender: setup.shop, users: shoppers, seed, isHurried });

  await step(run, async () => {
    await untilAllSend(run);
    await row.inject(run);
    await runFor(run, 500);
  });
  await step(run, () => rig.removeAdded());
  const endedAt = performance.now();
  signal?.throwIfAborted();
  await Promise.all([
    bulks.stop(),
    traffic.reads.stop(),
    ...traffic.loads.map((one) => one.stop()),
  ]);
  await step(run, () => ingest.sendAll(lastProfileUpdates(people).map(toEntry)));
  const rolled = await runRollingOracles(run, {
    endedAt,
    counters,
    lettersBefore,
    cutsOff,
    ...setup,
    ...traffic,
  });
  const figures = { ...rolled, ...sumUp(await carts?.finish()) };
  for (const one of [...traffic.loads, caller]) one.close();
  await receiver.close();
  return {
    row: row.id,
    fault: row.fault,
    seed,
    seconds: (performance.now() - startedAt) / 1000,
    memoryMiB: services.finish(),
    cells: { ...figures },
    figures,
    recoveries: run.recoveries,
    notes: run.notes,
    violations: run.violations,
    requests: [...load.ledger.entries, ...devices.ledger.entries].map(
      ({ body: _body, ...push }) => ({ ...push, recipients: push.recipients.length }),
    ),
  };
}

/** Of the runs that were in flight; none where the installation knows no automations. */
type RunFigures = {
  readonly runs: number;
  readonly 'mails of runs': number;
  readonly 'wrong runs': number;
};

function sumUp(carts: AutomationsFigures | undefined): RunFigures {
  return {
    runs: carts?.runs ?? 0,
    'mails of runs': carts?.mails ?? 0,
    'wrong runs': carts === undefined ? 0 : carts.repeats + carts.missing + carts.differences,
  };
}

type Setup = {
  readonly urls: Readonly<Record<'gateway' | 'clientApi' | 'api', string>>;
  readonly people: Pick<Plan, 'applications' | 'users'> & { readonly prefix: string };
  /** Applications of campaigns by e-mail, SMS and hooks. */
  readonly senders: readonly Sender[];
  /** Applications of batches. */
  readonly applications: readonly TestApplication[];
  readonly audience: Audience;
  readonly receiver: WebhookReceiver;
  /** An application with an automation. */
  readonly shop: Sender | null;
};

async function prepareSetup(
  rig: RollingRig,
  {
    plan,
    prefix,
    shoppers,
  }: { readonly plan: Plan; readonly prefix: string; readonly shoppers: number },
): Promise<Setup> {
  const urls = {
    gateway: rig.balancers.gateway.url,
    clientApi: rig.balancers['client-api'].url,
    api: rig.balancers.api.url,
  };
  const senders = await rig.newSenders(plan.applications, plan.users);
  const applications = await rig.newApplications(plan.applications);
  const audience = await newAudience(rig, {
    users: Math.min(plan.users, AUDIENCE_MAX),
    clientApiUrl: urls.clientApi,
  });
  const shop = await prepareCarts(rig, shoppers);
  const receiver = await startWebhookReceiver();
  await callApi(audience.admin, {
    method: 'POST',
    path: '/api/v1/webhooks',
    body: { url: receiver.url },
  });
  await rig.sandbox.forget();
  await rig.sandbox.calm();
  const people = {
    applications: plan.applications,
    users: Math.min(plan.users, INGEST_USERS_MAX),
    prefix,
  };
  return { urls, people, senders, applications, audience, receiver, shop };
}

type TrafficOptions = {
  readonly plan: Plan;
  readonly seed: number;
  readonly pushes: ReturnType<typeof createPushes>;
  readonly cutsOff: boolean;
};

/** Everything that callers do all the time: campaigns, device messages, batches and readers. */
function startTraffic(
  { urls, people, senders, applications, audience }: Setup,
  { plan, seed, pushes, cutsOff }: TrafficOptions,
) {
  const devicePushes = createDevicePushes({
    random: randomFrom(seed * 1_000 + 16),
    users: audience.listeners.size,
    prefix: people.prefix,
  });
  const batches = createBatches({ random: randomFrom(seed * 1_000 + 17), ...people });
  const caller = createRetryingCaller(
    cutsOff ? { triesMax: TRIES_MAX, retriesTimeouts: true } : {},
  );
  const every = { retryChance: 1, retriesTimeouts: cutsOff };
  const load = startLoad<SentPush>({
    ...every,
    random: randomFrom(seed),
    requestsPerSecond: plan.requestsPerSecond,
    next: pushes.next,
    requestOf: ({ application, key, body }) => ({
      url: `${urls.gateway}/push`,
      headers: { ...senders[application]?.headers, 'Idempotency-Key': key },
      body,
    }),
  });
  const devices = startLoad<DevicePush>({
    ...every,
    random: randomFrom(seed + 1),
    requestsPerSecond: plan.requestsPerSecond * DEVICE_PUSHES_PER_PUSH,
    next: devicePushes.next,
    requestOf: ({ key, body }) => ({
      url: `${urls.gateway}/push`,
      headers: { ...audience.headers, 'Idempotency-Key': key },
      body,
    }),
  });
  const ingest = startLoad<SentEntry>({
    ...every,
    random: randomFrom(seed + 2),
    requestsPerSecond: plan.requestsPerSecond * BATCHES_PER_PUSH,
    next: () => toEntry(batches.next()),
    requestOf: ({ batch: { application, ...body } }) => ({
      url: `${urls.gateway}/`,
      headers: applications[application]?.headers ?? {},
      body: JSON.stringify(body),
    }),
  });
  const listeners = startListeners(audience, { url: urls.clientApi, caller });
  const readers = [...senders, audience].map(({ admin }) => admin.headers);
  const reads = startReads({
    random: randomFrom(seed + 3),
    url: urls.api,
    readers,
    perSecond: plan.requestsPerSecond * READS_PER_PUSH,
    caller,
  });
  return { load, devices, ingest, loads: [load, devices, ingest], listeners, reads, caller };
}
