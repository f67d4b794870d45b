import { itemAt } from '@tidings/platform';
/** Selects the next item of a list. */
export interface RoundRobin {
  /** Index of the next item, which starts; undefined if none may start now. */
  take(): number | undefined;
  /** The item is finished. */
  finish(index: number): void;
}

export type RoundRobinOptions = {
  /** Maximum items in progress. */
  readonly max: number;
  /** Maximum items in progress of one owner while another owner waits. */
  readonly ownedMax: number;
};

/**
 * Selects items round-robin by owner; each owner's items keep their order. `owners[i]` is the owner
 * of item `i`.
 */
export function createRoundRobin(
  owners: readonly string[],
  { max, ownedMax }: RoundRobinOptions,
): RoundRobin {
  // Lists are reversed, so that taking the first item is O(1).
  const indexesOf = [...Map.groupBy(owners.keys(), ownerOf)];
  const waiting = new Map(indexesOf.map(([owner, indexes]) => [owner, indexes.toReversed()]));
  const heldBy = new Map<string, number>();
  let inProgress = 0;

  function ownerOf(index: number): string {
    return itemAt(owners, index);
  }

  return {
    take() {
      if (inProgress >= max) return undefined;
      for (const [owner, indexes] of waiting) {
        const own = heldBy.get(owner) ?? 0;
        if (waiting.size > 1 && own >= ownedMax) continue;
        const index = indexes.pop();
        // Move the owner behind all others.
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
 * Handles all items round-robin. After a failure no new item starts; items in progress finish
 * first.
 * @throws the first failure
 */
export async function handleRoundRobin(
  roundRobin: RoundRobin,
  handle: (index: number) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  await new Promise<void>((resolve) => {
    let atWork = 0;
    const run = async (index: number): Promise<void> => {
      await handle(index).catch((error: unknown) => failures.push(error));
      roundRobin.finish(index);
      atWork -= 1;
      begin();
    };
    const begin = (): void => {
      while (failures.length === 0) {
        const index = roundRobin.take();
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
