import { eventually } from '@tidings/testing';
import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { noteRecovery } from '../steps.ts';
import type { DeliveryRun } from './delivery-row.ts';
import { accept } from './steps.ts';

/**
 * Allowed median increase of pushes by other channels, besides three times the undisturbed median.
 */
const OTHERS_SLOWER_MS = 5_000;
export const PUSHES_BEFORE_FAULT = 5;
const PROBE_WITHIN_MS = 60_000;

/** Time to send of pushes by each channel, in milliseconds. */
export type Probes = {
  readonly beforeFault: Readonly<Record<SentChannel, number[]>>;
  readonly duringFault: Readonly<Record<SentChannel, number[]>>;
};

/** @throws if it is not sent */
export async function probe(run: DeliveryRun, channel: SentChannel): Promise<number> {
  const from = performance.now();
  const campaignId = await accept(run, run.pushes.one(channel));
  await eventually(
    async () => {
      const { rows } = await run.rig.db.sql.query<{ n: number }>(
        `select count(*)::int as n from deliveries where campaign_id = $1 and state in ('sent', 'delivered')`,
        [campaignId],
      );
      if (rows[0]?.n === 0)
        throw new Error(`a push by ${channel} is not sent during a fault of another provider`);
    },
    { timeoutMs: PROBE_WITHIN_MS, intervalMs: 50 },
  );
  return performance.now() - from;
}

/** In time: pushes by channels whose provider is healthy. */
export function noteProbes(run: DeliveryRun, { beforeFault, duringFault }: Probes): void {
  for (const channel of SENT_CHANNELS) {
    const [before, ms] = [median(beforeFault[channel]), median(duringFault[channel])];
    run.notes.push(
      `median time to send by ${channel}: ${Math.round(before)} ms before the fault, ${Math.round(ms)} ms during a fault of another provider`,
    );
    noteRecovery(run, {
      what: `median time to send by ${channel} during a fault of another provider`,
      ms,
      msMax: 3 * before + OTHERS_SLOWER_MS,
    });
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
