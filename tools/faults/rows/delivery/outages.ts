import { SENT_CHANNELS, WORKERS } from '../../rigs/delivery-proxies.ts';
import {
  failOver,
  freezePostgres,
  restartPostgres,
  withoutConnections,
} from '../injected-faults/postgres.ts';
import { disturbRedis } from '../injected-faults/redis.ts';
import { checkSameProcesses, noteRecovery, listPids } from '../steps.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { allowAmbiguousAttempts, untilAllSend } from './steps.ts';

const SENDS_WITHIN_MS = 60_000;
const WITHOUT_POSTGRES = ['campaigns', ...Object.values(WORKERS)];

export const postgresAway: DeliveryRow = {
  id: 'D9',
  fault: 'Postgres restarted, failed over, frozen, out of connections',
  brokers: 1,
  async inject(run) {
    const { outageMs } = run.plan;
    const before = listPids(run);
    const outages: readonly (readonly [string, () => Promise<void>])[] = [
      ['a restart of Postgres', () => restartPostgres(run)],
      ['a failover to the standby', () => failOver(run)],
      ['Postgres was frozen', () => freezePostgres(run, outageMs)],
      [
        'Postgres had no connections left',
        () => withoutConnections(run, { forMs: outageMs / 2, services: WITHOUT_POSTGRES }),
      ],
    ];
    for (const [what, harm] of outages) {
      // Deliveries marked as sending when Postgres went down, whose response was lost, are not sent
      // and cannot be released.
      allowAmbiguousAttempts(run, SENT_CHANNELS);
      await harm();
      await noteSending(run, `every channel sends after ${what}`);
    }
    checkSameProcesses(run, before);
  },
};

export const redisAway: DeliveryRow = {
  id: 'D10',
  fault: 'Redis flushed, stopped, frozen',
  brokers: 1,
  async inject(run) {
    const before = listPids(run);
    await disturbRedis(run, run.plan.outageMs / 2);
    await noteSending(run, 'every channel sends after Redis was down');
    checkSameProcesses(run, before);
  },
};

async function noteSending(run: DeliveryRun, what: string): Promise<void> {
  const from = performance.now();
  await untilAllSend(run);
  noteRecovery(run, { what, ms: performance.now() - from, msMax: SENDS_WITHIN_MS });
}
