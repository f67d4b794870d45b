import type { TopicOffsets } from '@tidings/bus';

/** Records of a topic, over all its partitions, that a group has not committed. */
export function unreadOf(
  committed: ReadonlyMap<number, bigint>,
  offsets: ReadonlyMap<number, TopicOffsets>,
): number {
  let unread = 0;
  for (const [partition, { low, high }] of offsets) {
    const read = committed.get(partition) ?? low;
    // What the topic has lost is read by nobody.
    const from = read < low ? low : read;
    if (high > from) unread += Number(high - from);
  }
  return unread;
}
