import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** An editor that saves several files, or a checkout, is one change. */
const QUIET_MS = 100;

export interface SourceWatch {
  /** Resolves with a file that has changed since the last call, at once if there is one; with undefined after `close`. */
  next(): Promise<string | undefined>;
  close(): void;
}

/**
 * Watches folders with all that is below them. Node's own `--watch` follows imports, and so would miss the SQL and Lua
 * files that services read. Tests and their helpers do not count.
 */
export function watchSources(folders: readonly string[]): SourceWatch {
  let changed: string | undefined;
  let isClosed = false;
  let wake = (): void => undefined;
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true }, (_event, name) => {
      if (name === null || !isSource(name)) return;
      changed = join(folder, name);
      wake();
    }),
  );
  return {
    async next() {
      while (changed === undefined && !isClosed)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      for (let last; last !== changed;) {
        last = changed;
        await delay(QUIET_MS);
      }
      const file = isClosed ? undefined : changed;
      changed = undefined;
      return file;
    },
    close() {
      isClosed = true;
      for (const watcher of watchers) watcher.close();
      wake();
    },
  };
}

function isSource(name: string): boolean {
  return (
    /\.(ts|sql|lua|json)$/.test(name) &&
    !name.endsWith('.test.ts') &&
    !/(^|[/\\])testing[/\\]/.test(name)
  );
}
