import type { Logger } from '@tidings/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { withRetries } from './with-retries.ts';

/** A status that a provider reports: when, and how. */
export type StatusReport = {
  readonly afterMs: number;
  readonly post: (signal: AbortSignal) => Promise<Response>;
};

/** Posts the status callbacks of messages, with retries. */
export interface StatusCallbacks {
  /** @param reports of one message, in order */
  follow(reports: readonly StatusReport[]): void;
  /** Aborts pending callbacks; they are lost. */
  close(): void;
}

const AT_ONCE_MAX = 20;
const CALLBACK_TIMEOUT_MS = 10_000;

export function createStatusCallbacks(logger: Logger): StatusCallbacks {
  const closing = new AbortController();
  const { signal } = closing;
  let free = AT_ONCE_MAX;
  const waiting: (() => void)[] = [];
  const withSlot = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
  const post = async (report: StatusReport): Promise<void> => {
    const answer = await withSlot(() =>
      report.post(AbortSignal.any([signal, AbortSignal.timeout(CALLBACK_TIMEOUT_MS)])),
    );
    await answer.body?.cancel();
    if (answer.status >= 500) throw new Error(`the callback returned ${answer.status}`);
    if (answer.status >= 400) logger.warn({ status: answer.status }, 'status callback rejected');
  };
  const follow = async (reports: readonly StatusReport[]): Promise<void> => {
    let passed = 0;
    for (const report of reports) {
      await delay(report.afterMs - passed, undefined, { signal });
      passed = report.afterMs;
      await withRetries(() => post(report), signal);
    }
  };
  return {
    follow(reports) {
      follow(reports).catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error }, 'status callback given up');
      });
    },
    close: () => closing.abort(),
  };
}
