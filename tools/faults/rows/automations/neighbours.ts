import { setTimeout as delay } from 'node:timers/promises';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { Entry } from '../../load/ledger.ts';
import { startLoad, type Load } from '../../load/load.ts';
import { percentile } from '../../oracles/automations/percentile.ts';
import { countUnfinished, readStoredRuns } from '../../oracles/automations/stored-runs.ts';
import { userOf, type Sender } from '../../rigs/delivery-rig.ts';
import { measureUntil, noteRecovery, runFor } from '../steps.ts';
import type { AutomationsRow, AutomationsRun } from './automations-row.ts';
import { activateAutomation, mailOf } from './own-automation.ts';
import { countUnreadChanges } from './steps.ts';

const AUTOMATIONS = 100;
const TIMES_MORE = 5;
const RATIO_MAX = 2;
const ROUNDS = 3;
const WARM_UP_MS = 3_000;
const CALM_WITHIN_MS = 120_000;
/** What was sent last may arrive so much later. */
const ARRIVES_WITHIN_MS = 5_000;

type Trigger = Entry & { readonly key: string; readonly customUserId: string };

const automation = (where: string): AutomationDefinition => ({
  version: 1,
  name: 'Cart at once',
  purpose: 'transactional',
  trigger: {
    event: { kind: 'action', name: 'cart_left' },
    where: [{ attribute: 'kind', is: where }],
  },
  entry: { again: 'always', key: 'cart' },
  nodes: [mailOf('mail', 'Cart {{ event.attributes.cart }}.')],
});

export const neighbourActive: AutomationsRow = {
  id: 'A37',
  fault: 'a neighbour with 100 automations at five times the rate',
  brokers: 1,
  isQuiet: true,
  plan: { users: 200, requestsPerSecond: 5, outageMs: 15_000 },
  async inject(run) {
    const { rig, plan, sender } = run;
    const [neighbour] = await rig.newSenders(1, plan.users, ['EMAIL']);
    if (neighbour === undefined) throw new Error('no application was made');
    await activateAutomation(sender, {
      slug: 'cart',
      events: ['cart_left'],
      definition: automation('0'),
    });
    for (let index = 0; index < AUTOMATIONS; index += 1)
      await activateAutomation(neighbour, {
        slug: `cart-${index}`,
        events: index === 0 ? ['cart_left'] : [],
        definition: automation(String(index)),
      });
    const own = startTriggers(run, sender, { name: 'own', perSecond: plan.requestsPerSecond });
    const besides: { readonly from: number; readonly to: number }[] = [];
    const alones: typeof besides = [];
    let attacked = 0;
    await runFor(run, WARM_UP_MS);
    for (let round = 0; round < ROUNDS; round += 1) {
      alones.push(await slice(run));
      const attack = startTriggers(run, neighbour, {
        name: `neighbour-${round}`,
        perSecond: plan.requestsPerSecond * TIMES_MORE,
        automations: AUTOMATIONS,
      });
      besides.push(await slice(run));
      await attack.stop();
      attack.close();
      attacked += attack.ledger.entries.length;
      await untilCalm(run, neighbour);
    }
    await own.stop();
    own.close();
    await delay(ARRIVES_WITHIN_MS);
    const waits = await readWaits(run, own);
    const [alone, beside] = [alones, besides].map((slices) => {
      const own = waits.filter(({ sentAt }) =>
        slices.some(({ from, to }) => sentAt >= from && sentAt < to),
      );
      const ms = own.map((wait) => wait.ms);
      const entered = own.map((wait) => wait.enteredMs);
      return {
        count: ms.length,
        p50: percentile(ms, 0.5),
        p95: percentile(ms, 0.95),
        entered: percentile(entered, 0.95),
      };
    });
    if (alone === undefined || beside === undefined) throw new Error('nothing was measured');
    const { runs } = await readStoredRuns(rig.db, neighbour.id);
    run.notes.push(
      `from trigger to provider, alone: p50 ${Math.round(alone.p50)} ms, p95 ${Math.round(alone.p95)} ms of ${alone.count}`,
      `beside: p50 ${Math.round(beside.p50)} ms, p95 ${Math.round(beside.p95)} ms of ${beside.count}: ${(beside.p95 / alone.p95).toFixed(2)} ×`,
      `until the step of their run begins: p95 ${Math.round(alone.entered)} ms alone, ${Math.round(beside.entered)} ms beside`,
      `the neighbour: ${attacked} events, ${runs.length} runs of ${AUTOMATIONS} automations`,
    );
    noteRecovery(run, {
      what: 'p95 from trigger to provider beside the neighbour',
      ms: Number.isFinite(beside.p95) ? beside.p95 : null,
      msMax: alone.p95 * RATIO_MAX,
    });
    Object.assign(run.cells, { events: own.ledger.entries.length });
  },
};

async function slice(run: AutomationsRun): Promise<{ readonly from: number; readonly to: number }> {
  const from = performance.now();
  await runFor(run, run.plan.outageMs);
  return { from, to: performance.now() };
}

/** Each enters one automation. */
function startTriggers(
  { rig, plan, random, prefix }: AutomationsRun,
  { headers }: Sender,
  {
    name,
    perSecond,
    automations = 1,
  }: { readonly name: string; readonly perSecond: number; readonly automations?: number },
): Load<Trigger> {
  let count = 0;
  return startLoad<Trigger>({
    random,
    requestsPerSecond: perSecond,
    next: () => {
      count += 1;
      return {
        key: `${prefix}-${name}-${count}`,
        customUserId: userOf(count % plan.users),
        attempts: [],
      };
    },
    requestOf: ({ key, customUserId }) => ({
      url: rig.gatewayUrl,
      headers,
      body: JSON.stringify({
        customUserId,
        messages: [
          {
            type: 'action',
            id: key,
            time: Date.now(),
            customName: 'cart_left',
            attributes: { cart: key, kind: String(count % automations) },
          },
        ],
      }),
    }),
    retryChance: 1,
  });
}

/** What the neighbour left would count as the time of those who are alone. */
async function untilCalm(run: AutomationsRun, { id }: Sender): Promise<void> {
  const isCalm = async (): Promise<boolean> => {
    const { runs, deliveries } = await countUnfinished(run.rig.db, id);
    return runs + deliveries + (await countUnreadChanges(run)) === 0;
  };
  const ms = await measureUntil(isCalm, { msMax: CALM_WITHIN_MS });
  noteRecovery(run, { what: 'the work of the neighbour is done', ms, msMax: CALM_WITHIN_MS });
}

type Wait = {
  readonly sentAt: number;
  readonly ms: number;
  /** Until the step began that entered its person. */
  readonly enteredMs: number;
};

/** How long each took until the provider had its mail; infinite if it never came. */
async function readWaits(
  { rig, sender }: AutomationsRun,
  own: Load<Trigger>,
): Promise<readonly Wait[]> {
  const { messages, lines, runs } = await readStoredRuns(rig.db, sender.id);
  const keys = new Map(runs.map(({ runId, key }) => [runId, key]));
  const enteredAt = new Map(runs.map((each) => [each.key, each.enteredAt]));
  const keyOf = new Map(lines.map(({ deliveryId, runId }) => [deliveryId, keys.get(runId)]));
  const campaigns = new Set(messages.map(({ campaignId }) => campaignId));
  const arrived = new Map(
    rig.sandbox
      .texts(campaigns)
      .map(({ deliveryId, receivedAt }) => [keyOf.get(deliveryId), receivedAt]),
  );
  return own.ledger.entries.flatMap(({ key, attempts: [first] }) => {
    if (first === undefined) return [];
    const sinceSent = (at = Infinity): number => at - performance.timeOrigin - first.sentAt;
    return [
      {
        sentAt: first.sentAt,
        ms: sinceSent(arrived.get(key)),
        enteredMs: sinceSent(enteredAt.get(key)),
      },
    ];
  });
}
