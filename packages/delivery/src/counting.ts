import { randomInt } from 'node:crypto';

const SHARDS = 8;

/** This process's counter shard. Counters of a campaign are sharded to avoid a hot row. */
export const counterShard = randomInt(SHARDS);

/** Facts recorded and counted besides the states. */
export const COUNTED_NOTES = ['complained', 'unsubscribed'] as const;
