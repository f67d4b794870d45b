import { keepRunning } from '../keep-running.ts';
import type { StackComponent } from './component.ts';
import type { Stack } from './stack.ts';

export interface SupervisedStores {
  /**
   * Stops restarting stores and resolves when no restart is in progress. The stores keep running.
   */
  stop(): Promise<void>;
}

/**
 * Restarts each local store that exits, with the same data and port. Only for `npm start`; tests
 * that kill stores restart them. `onLine` gets a message when a store exits and when it is back.
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
