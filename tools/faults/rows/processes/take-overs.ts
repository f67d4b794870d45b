import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tidings/testing';
import {
  countStillOpen,
  endWaits,
  listOpen,
  listStillOpen,
} from '../../oracles/delivery/stored-deliveries.ts';
import { untilRead } from '../../oracles/ingest/lag.ts';
import { countUnsentWebhooks, listUnsentWebhooks } from '../../oracles/rolling/stored-webhooks.ts';
import { measureUntil } from '../steps.ts';
import type { TakeOver } from './freeze.ts';
import { WEBHOOKS_IN_FLIGHT_MAX } from './two.ts';

/** A batch that is sent to the other process alone is answered 200. */
const acceptsBatches: TakeOver = {
  what: 'the other process accepts a batch',
  // Postgres ends a transaction that a frozen process left open after 5 s.
  msMax: 8_000,
  async measure({ rig, senders }, { other, msMax }) {
    const url = rig.balancers.gateway.instances[other] ?? '';
    const message = { type: 'action', time: Date.now(), customName: 'page_viewed' };
    return measureUntil(
      async () => {
        const answer = await fetch(`${url}/`, {
          method: 'POST',
          headers: { ...senders[0]?.headers, 'Content-Type': 'application/json' },
          body: JSON.stringify({
            customUserId: 'user-0',
            messages: [{ ...message, id: `${other}-${performance.now()}` }],
          }),
          signal: AbortSignal.timeout(msMax),
        }).catch(() => undefined);
        await answer?.body?.cancel();
        return answer?.status === 200;
      },
      { msMax },
    );
  },
};

const readsIngest: TakeOver = {
  what: 'it has read what was in ingest at the freeze',
  msMax: 20_000,
  measure: ({ rig }, { msMax }) => untilRead(rig.bus, 2 * msMax),
};

/** Work comes all the time. */
const SOME_WITHIN_MS = 15_000;

/** @throws if there stays none: the freeze had no effect on it */
async function some<T>(what: string, list: () => Promise<readonly T[]>): Promise<readonly T[]> {
  return eventually(
    async () => {
      const found = await list();
      if (found.length === 0) throw new Error(`no ${what}: the freeze had no effect on them`);
      return found;
    },
    { timeoutMs: SOME_WITHIN_MS, intervalMs: 100 },
  );
}

const settlesDeliveries: TakeOver = {
  what: 'what was open at the freeze has an outcome',
  msMax: 30_000,
  async measure({ rig: { db }, senders }, { msMax }) {
    const from = performance.now();
    const applicationIds = senders.map(({ id }) => id);
    const open = await some('deliveries are open', () => listOpen(db, applicationIds));
    return measureUntil(
      async () => {
        await endWaits(db, applicationIds);
        return (await countStillOpen(db, open)) === 0;
      },
      { from, msMax },
    );
  },
};

/** By then some messages wait for devices whose stream leads to the frozen process. */
const MESSAGES_WAIT_AFTER_MS = 10_000;
/** Messages of all other devices are displayed within this time. */
const DISPLAYED_WITHIN_MS = 5_000;

/** A device leaves a stream that is silent for 40 s. A message that it fetched is leased for 30 s. */
const reachesDevices: TakeOver = {
  what: 'devices have displayed what waited for them 10 s after the freeze',
  msMax: 60_000,
  async measure({ rig: { db }, audience }, { msMax }) {
    const from = performance.now();
    await delay(MESSAGES_WAIT_AFTER_MS - DISPLAYED_WITHIN_MS);
    await some('messages wait for devices', async () => {
      const waiting = await listOpen(db, [audience.id], ['waiting']);
      await delay(DISPLAYED_WITHIN_MS);
      return listStillOpen(db, waiting);
    });
    const open = await listOpen(db, [audience.id]);
    return measureUntil(async () => (await countStillOpen(db, open)) === 0, { from, msMax });
  },
};

/** The lease of a webhook is 60 s. */
const sendsWebhooks: TakeOver = {
  what: 'webhooks that were queued at the freeze are sent',
  msMax: 70_000,
  async prepare({ receiver }) {
    const release = receiver.hold();
    try {
      await eventually(() => {
        if (receiver.unanswered <= WEBHOOKS_IN_FLIGHT_MAX)
          throw new Error('one process may have all webhooks that are in flight');
      });
    } catch (error) {
      release();
      throw error;
    }
    return release;
  },
  async measure({ rig: { db }, audience }, { msMax }) {
    const unsent = await some('webhooks are in flight', () => listUnsentWebhooks(db, audience.id));
    return measureUntil(async () => (await countUnsentWebhooks(db, unsent)) === 0, { msMax });
  },
};

/** After the sessions of the bus, 6 s, and the lease of a send, 8 s. */
export const TAKE_OVERS: readonly TakeOver[] = [acceptsBatches, readsIngest, settlesDeliveries];
/** After the leases of messages and webhooks, and the silence of a stream. */
export const LATE_TAKE_OVERS: readonly TakeOver[] = [reachesDevices, sendsWebhooks];
