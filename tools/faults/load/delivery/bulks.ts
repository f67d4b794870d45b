import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryRun } from '../../rows/delivery/delivery-row.ts';
import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { campaignOf } from './pushes.ts';

const LOOK_EVERY_MS = 250;

/** Keeps one large campaign per channel running: starts the next when one completes. */
export function keepBulksGoing({
  rig,
  load,
  pushes,
}: Pick<DeliveryRun, 'rig' | 'load' | 'pushes'>): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function isDone(campaignId: string): Promise<boolean> {
    const { rows } = await rig.db.sql.query<{ status: string }>(
      'select status from campaigns where id = $1',
      [campaignId],
    );
    return rows[0]?.status === 'completed';
  }

  async function keepGoing(channel: SentChannel): Promise<void> {
    while (!signal.aborted) {
      const push = pushes.bulk(channel);
      await load.send(push);
      const campaignId = campaignOf(push);
      // Postgres may be down at the moment.
      while (
        !signal.aborted &&
        campaignId !== undefined &&
        !(await isDone(campaignId).catch(() => false))
      ) {
        await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  const running = Promise.all(SENT_CHANNELS.map(keepGoing));
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
