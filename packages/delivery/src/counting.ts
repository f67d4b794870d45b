import { randomInt } from 'node:crypto';

const SHARDS = 8;

/** The shard of this process: counters of one campaign are spread, so that no row is hot. */
export const counterShard = randomInt(SHARDS);

/** What is noted beside the states, and counted beside them. */
export const COUNTED_NOTES = ['complained', 'unsubscribed'] as const;
