import type { TopicOffsets } from '@tidings/bus';

/** Number of records of a topic, over all partitions, that a consumer group has not committed. */
export function countUnread(
  committed: ReadonlyMap<number, bigint>,
  offsets: ReadonlyMap<number, TopicOffsets>,
): number {
  let unread = 0;
  for (const [partition, { low, high }] of offsets) {
    const read = committed.get(partition) ?? low;
    // Expired records are not unread.
    const from = read < low ? low : read;
    if (high > from) unread += Number(high - from);
  }
  return unread;
}
