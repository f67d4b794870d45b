import { SENT_CHANNELS, WORKERS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { CLAIM_LEASE_MS, SEND_LEASE_MS } from '../../rigs/delivery-rig.ts';
import { runFor } from '../steps.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { allowAmbiguousAttempts, untilAllSend, untilSends } from './steps.ts';

const SECOND = 2;
const STOPPED_MS = 2 * Math.max(CLAIM_LEASE_MS, SEND_LEASE_MS);
const WITHIN_MS = 700;
const MORE = [2, 3, 4];

export const workersStopped: DeliveryRow = {
  id: 'D17',
  fault: 'workers frozen for twice their leases, beside others, and thawed',
  brokers: 1,
  async inject(run) {
    await add(run, [SECOND]);
    // One round of all three channels per five kills of the other rows.
    for (let round = 0; round < run.plan.kills; round += 5) {
      await Promise.all(SENT_CHANNELS.map((channel) => stopInTheMiddle(run, channel)));
    }
    await untilAllSend(run);
    await remove(run, [SECOND]);
  },
};

async function stopInTheMiddle(run: DeliveryRun, channel: SentChannel): Promise<void> {
  const { supervisor } = run.rig;
  await untilSends(run, channel);
  await runFor(run, 0, WITHIN_MS);
  allowAmbiguousAttempts(run, [channel]);
  supervisor.kill(WORKERS[channel], 'SIGSTOP');
  await runFor(run, STOPPED_MS);
  supervisor.kill(WORKERS[channel], 'SIGCONT');
}

/** A graceful stop leaves no ambiguous attempts, so none are allowed. */
export const workersComeAndGo: DeliveryRow = {
  id: 'D16',
  fault: 'workers 1 → 4 → 1',
  brokers: 1,
  async inject(run) {
    for (let round = 0; round < run.plan.kills; round += 5) {
      for (const number of MORE) {
        await runFor(run, 100, 500);
        await add(run, [number]);
      }
      await runFor(run, 1_000, 3_000);
      for (const number of MORE) {
        await runFor(run, 100, 500);
        await remove(run, [number]);
      }
      await untilAllSend(run);
    }
  },
};

async function add({ rig }: DeliveryRun, numbers: readonly number[]): Promise<void> {
  await Promise.all(
    numbers.flatMap((number) =>
      Object.values(WORKERS).map((program) =>
        rig.supervisor.add({ name: `${program}-${number}`, program }),
      ),
    ),
  );
}

async function remove({ rig }: DeliveryRun, numbers: readonly number[]): Promise<void> {
  await Promise.all(
    numbers.flatMap((number) =>
      Object.values(WORKERS).map((program) => rig.supervisor.remove(`${program}-${number}`)),
    ),
  );
}
