import { randomInt } from 'node:crypto';

const SHARDS = 8;

/** This process's counter shard. Counters of a campaign are sharded to avoid a hot row. */
export const counterShard = randomInt(SHARDS);

/** Facts recorded and counted besides the states. */
export const COUNTED_NOTES = ['complained', 'unsubscribed'] as const;
/** Facts counted in a table of their own. */
export const MACHINE_NOTES = ['machine_opened', 'machine_clicked'] as const;
export const TALLIES = ['bounced', ...MACHINE_NOTES] as const;
