import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { runAhead } from '@tidings/local';
import type { LoadPlan, LoadResult } from './plan.ts';

/** A process of its own that applies load. */
export interface LoadGenerator {
  /** One plan at a time. @throws when the generator fails or ends */
  run(plan: LoadPlan): Promise<LoadResult>;
  stop(): void;
}

/** `isMeasuring`: what it measures must not hold its own waits for a core. */
export function startGenerator({ isMeasuring }: { readonly isMeasuring: boolean }): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'generator.ts'), { execArgv: ['--disable-warning=ExperimentalWarning'], detached: true });
  if (isMeasuring && child.pid !== undefined) runAhead(child.pid);
  return {
    async run(plan) {
      const heard = new AbortController();
      const ended = once(child, 'exit', { signal: heard.signal }).then(() => {
        throw new Error('the load generator ended');
      });
      const answered = once(child, 'message', { signal: heard.signal });
      child.send(plan);
      try {
        const [answer] = (await Promise.race([answered, ended])) as [{ readonly result?: LoadResult; readonly failure?: string }];
        if (answer.result === undefined) throw new Error(`the load generator failed: ${answer.failure}`);
        return answer.result;
      } finally {
        ended.catch(() => undefined); // Given up, not failed.
        answered.catch(() => undefined);
        heard.abort();
      }
    },
    stop: () => {
      if (child.connected) child.disconnect();
    },
  };
}
