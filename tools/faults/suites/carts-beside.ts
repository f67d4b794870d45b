import { toProgram } from '@tidings/automations/program';
import { randomFrom } from '@tidings/testing';
import { CART_AUTOMATION, CARTS, EVENTS, planCarts } from '../load/automations/carts.ts';
import { startFeed } from '../load/automations/feed.ts';
import type { Sender } from '../rigs/delivery-rig.ts';
import type { RollingRig } from '../rigs/rolling-rig.ts';
import { activateAutomation } from '../rows/automations/own-automation.ts';
import type { RollingRun } from '../rows/rolling/rolling-row.ts';
import { runAutomationsOracles, type AutomationsFigures } from './automations-oracles.ts';
import { hurryWaits } from './hurry-waits.ts';

/** People leave carts for this long. Their runs wait for a minute, and then for another one. */
const FEED_SECONDS = { hurried: 30, complete: 120 };

export type CartsBeside = {
  /** Waits until all is accepted and all runs have ended, and runs the oracles. */
  finish(): Promise<AutomationsFigures>;
};

/**
 * An application with an automation, beside the other load of an installation. Null where the
 * installation knows no automations yet.
 */
export async function prepareCarts(rig: RollingRig, users: number): Promise<Sender | null> {
  const [sender] = await rig.newSenders(1, users, ['EMAIL']);
  if (sender === undefined) throw new Error('no application was made');
  const url = `${sender.admin.baseUrl}/api/v1/automations`;
  const answer = await fetch(url, { headers: sender.admin.headers });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`GET /api/v1/automations: ${answer.status}`);
  await activateAutomation(sender, {
    slug: 'cart',
    events: EVENTS,
    definition: CART_AUTOMATION,
  });
  return sender;
}

/** As many people as leave their carts at this rate in the time of the feed. */
export const peopleWithCarts = (requestsPerSecond: number, isHurried: boolean): number =>
  Math.ceil((requestsPerSecond * FEED_SECONDS[isHurried ? 'hurried' : 'complete']) / CARTS);

/** Begins to leave carts, in each state of what is done to the installation. */
export async function startCarts(
  run: Omit<RollingRun, 'load'>,
  {
    sender,
    users,
    seed,
    isHurried,
  }: {
    readonly sender: Sender;
    readonly users: number;
    readonly seed: number;
    readonly isHurried: boolean;
  },
): Promise<CartsBeside> {
  const { rig, plan, ending } = run;
  const prefix = `carts-${seed}-${sender.number}`;
  const carts = planCarts({ ...plan, users, random: randomFrom(seed * 1_000 + 18), prefix });
  const feed = startFeed(carts, {
    ...plan,
    random: randomFrom(seed + 4),
    url: rig.gatewayUrl,
    headers: sender.headers,
    signal: ending,
  });
  const hurrying = isHurried ? await hurryWaits(rig.db, sender.id) : undefined;
  return {
    async finish() {
      await feed.done();
      const figures = await runAutomationsOracles(
        {
          ...run,
          sender,
          prefix,
          load: { carts, feed },
          cells: {},
          // As many as the row itself allows.
          allowed: { unknown: run.ambiguousMax.EMAIL },
        },
        { program: toProgram(CART_AUTOMATION), isHurried, endedAt: performance.now() },
      );
      await hurrying?.stop();
      feed.load.close();
      return figures;
    },
  };
}
