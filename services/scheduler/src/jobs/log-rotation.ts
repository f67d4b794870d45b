import { LOG_GROUPS } from '@tidings/contracts/topics';
import { readLogBytes, rotateBlocks } from '@tidings/partitioned-log/retention';
import { Counter, Gauge } from '@tidings/platform';
import type { Job } from '../job.ts';

const logBytes = new Gauge({
  name: 'tidings_log_bytes',
  help: 'Size of the log in Postgres: records that are read, and not yet emptied. It replaces Kafka, and has the changes of users that automations wait for.',
});
const rotationsTotal = new Counter({
  name: 'tidings_log_rotations_total',
  help: 'Tries to empty the oldest records of the log in Postgres, by outcome: rotated, unread or locked.',
  labelNames: ['outcome'] as const,
});

const BYTES_MAX = 256 * 1024 * 1024;
const AGE_MS_MAX = 3_600_000;

/**
 * Empties the log in Postgres of what all groups have read. Without BUS=postgres it has only the
 * changes of users that automations wait for.
 */
export const logRotation = (): Job => ({
  name: 'log-rotation',
  intervalMs: 30_000,
  // A step empties a whole table.
  bound: { itemsPerStep: 1, stepsMax: 1 },
  replicaMode: 'advisory-lock',
  async run({ db, logger }) {
    logBytes.set(await readLogBytes(db.sql));
    const outcome = await rotateBlocks(db, {
      groups: LOG_GROUPS,
      bytesMax: BYTES_MAX,
      ageMsMax: AGE_MS_MAX,
    });
    if (outcome === 'not due' || outcome === 'busy') return;
    rotationsTotal.inc({ outcome });
    logger.info({ outcome }, 'rotation of the log');
  },
});
