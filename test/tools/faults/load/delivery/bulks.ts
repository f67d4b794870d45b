import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryRun } from '../../rows/delivery/delivery-row.ts';
import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { campaignOf } from './pushes.ts';

const LOOK_EVERY_MS = 250;

/** Has every channel always work on a large campaign: as soon as one is done the next is sent. */
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
      // Postgres may be away just now.
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
