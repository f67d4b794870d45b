import { keepRunning } from '../keep-running.ts';
import type { StackComponent } from './component.ts';
import type { Stack } from './stack.ts';

export interface SupervisedStores {
  /** From here on a store that ends stays ended. Resolves when no start is under way; the stores run on. */
  stop(): Promise<void>;
}

/**
 * Starts each store of ours again whenever it dies: on the same data, at the same port. For `npm start` alone: tests that
 * kill stores start them again themselves. `onLine` gets a sentence when a store dies and when it is back.
 */
export function superviseStores(
  { parts, kafkaNodes }: Pick<Stack, 'parts' | 'kafkaNodes'>,
  onLine: (line: string) => void,
): SupervisedStores {
  const stopping = new AbortController();
  const underway = new Set<Promise<void>>();
  const { postgres, redis } = parts;

  async function startAgain(store: StackComponent): Promise<void> {
    try {
      await store.start();
      onLine(`${store.name} is ready again`);
    } catch (error) {
      onLine(error instanceof Error ? error.message : String(error));
    }
  }

  for (const store of [postgres, redis, ...kafkaNodes]) {
    if (store === undefined) continue;
    const start = (): Promise<void> => {
      const run = startAgain(store).finally(() => underway.delete(run));
      underway.add(run);
      return run;
    };
    void keepRunning({
      name: store.name,
      ended: () => store.ended(),
      start,
      stopping: stopping.signal,
      onLine,
    });
  }
  return {
    async stop() {
      stopping.abort();
      await Promise.all(underway);
    },
  };
}
