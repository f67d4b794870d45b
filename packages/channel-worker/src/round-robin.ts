/** Which items of a batch are worked on next. */
export interface RoundRobin {
  /** The index of the next item, which takes a turn; undefined when no item may begin now. */
  take(): number | undefined;
  /** The item is done. */
  finish(index: number): void;
}

export type RoundRobinOptions = {
  /** Items at work at a time. */
  readonly max: number;
  /** Maximum of these for one owner while items of another owner wait. */
  readonly ownedMax: number;
};

/** Items of a batch by turns of their owners; of one owner in their order. `owners` names the owner of each item. */
export function createRoundRobin(
  owners: readonly string[],
  { max, ownedMax }: RoundRobinOptions,
): RoundRobin {
  // Each list ends with its first item, so that taking one costs the same however long the list is.
  const indexesOf = [...Map.groupBy(owners.keys(), ownerOf)];
  const waiting = new Map(indexesOf.map(([owner, indexes]) => [owner, indexes.toReversed()]));
  const heldBy = new Map<string, number>();
  let inProgress = 0;

  function ownerOf(index: number): string {
    return owners[index] ?? '';
  }

  return {
    take() {
      if (inProgress >= max) return undefined;
      for (const [owner, indexes] of waiting) {
        const own = heldBy.get(owner) ?? 0;
        if (waiting.size > 1 && own >= ownedMax) continue;
        const index = indexes.pop();
        // The owner's next item comes after one of each other owner.
        waiting.delete(owner);
        if (indexes.length > 0) waiting.set(owner, indexes);
        heldBy.set(owner, own + 1);
        inProgress += 1;
        return index;
      }
      return undefined;
    },
    finish(index) {
      const owner = ownerOf(index);
      const left = (heldBy.get(owner) ?? 0) - 1;
      if (left > 0) heldBy.set(owner, left);
      else heldBy.delete(owner);
      inProgress -= 1;
    },
  };
}

/**
 * Handles all items by their turns. After a failure no other item begins; those at work end first.
 * @throws the first failure
 */
export async function handleRoundRobin(
  turns: RoundRobin,
  handle: (index: number) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  await new Promise<void>((resolve) => {
    let atWork = 0;
    const run = async (index: number): Promise<void> => {
      await handle(index).catch((error: unknown) => failures.push(error));
      turns.finish(index);
      atWork -= 1;
      begin();
    };
    const begin = (): void => {
      while (failures.length === 0) {
        const index = turns.take();
        if (index === undefined) break;
        atWork += 1;
        void run(index);
      }
      if (atWork === 0) resolve();
    };
    begin();
  });
  if (failures.length > 0) throw failures[0];
}
