/** A partition of a topic. */
export type Share = { readonly topicId: number; readonly part: number };

export type MemberTopics = { readonly member: string; readonly topicIds: readonly number[] };

/**
 * The partitions of one member: each topic's partitions go in turn to the members that read it. All
 * members compute the same from the same list.
 */
export function shareOf(
  member: string,
  members: readonly MemberTopics[],
  partitionsOf: ReadonlyMap<number, number>,
): Share[] {
  const sorted = members.toSorted((one, other) => (one.member < other.member ? -1 : 1));
  return [...partitionsOf].flatMap(([topicId, partitions]) => {
    const readers = sorted.filter(({ topicIds }) => topicIds.includes(topicId));
    return Array.from({ length: partitions }, (_, part) => part)
      .filter((part) => readers[part % readers.length]?.member === member)
      .map((part) => ({ topicId, part }));
  });
}
