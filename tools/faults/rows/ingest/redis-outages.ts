import { disturbRedis } from '../injected-faults/redis.ts';
import { checkSameProcesses, listPids } from '../steps.ts';
import type { IngestRow } from './ingest-row.ts';

export const redisAway: IngestRow = {
  id: 'I10',
  fault: 'Redis flushed, stopped, frozen',
  brokers: 1,
  mustAccept: true,
  async inject(run) {
    const before = listPids(run);
    await disturbRedis(run, run.plan.outageMs / 2);
    checkSameProcesses(run, before);
  },
};
