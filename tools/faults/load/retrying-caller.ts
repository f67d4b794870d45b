import { setTimeout as delay } from 'node:timers/promises';
import { createHttpCaller, type HttpAnswer, type HttpCall } from './call.ts';

/** A client that may retry each failed request, by default once. */
export type RetryingCaller = {
  /**
   * Returns the response, after retries if an attempt failed. `what` names the request in findings.
   */
  call(what: string, call: HttpCall): Promise<HttpAnswer>;
  /** Records an attempt made elsewhere; a failure is followed by another attempt. */
  note(what: string, failure: string | null): void;
  readonly counts: { readonly requests: number; readonly retries: number };
  /** Requests that failed too often, or with an error that cannot be retried. */
  failures(): readonly string[];
  close(): void;
};

/** Longer than a long poll. */
const TIMEOUT_MS = 40_000;
/** Statuses of temporary failures. */
const RETRYABLE_STATUSES: readonly number[] = [0, 503];
const AGAIN_AFTER_MS = 200;

export type RetryingCallerOptions = {
  readonly triesMax?: number;
  /** Also retry 408, of a server that was frozen while it read the request. */
  readonly retriesTimeouts?: boolean;
};

export function createRetryingCaller({
  triesMax = 2,
  retriesTimeouts = false,
}: RetryingCallerOptions = {}): RetryingCaller {
  const caller = createHttpCaller({ timeoutMs: TIMEOUT_MS });
  const retried = [...RETRYABLE_STATUSES, ...(retriesTimeouts ? [408] : [])];
  const counts = { requests: 0, retries: 0 };
  const failures: string[] = [];
  /** Failed attempts in a row that were made elsewhere. */
  const failed = new Map<string, number>();
  return {
    counts,
    async call(what, call) {
      counts.requests += 1;
      const answers: HttpAnswer[] = [];
      for (;;) {
        const answer = await caller.call(call);
        answers.push(answer);
        if (!retried.includes(answer.status) || answers.length >= triesMax) {
          if (answer.status !== 200)
            failures.push(`${what}: ${answers.map(describe).join(', then ')}`);
          return answer;
        }
        counts.retries += 1;
        await delay(Math.max(AGAIN_AFTER_MS, Number(answer.retryAfter ?? 0) * 1_000));
      }
    },
    note(what, failure) {
      counts.requests += 1;
      const times = failure === null ? 0 : (failed.get(what) ?? 0) + 1;
      failed.set(what, times);
      if (times >= triesMax) failures.push(`${what}: ${times} times, the last time ${failure}`);
      else if (times > 0) counts.retries += 1;
    },
    failures: () => failures,
    close: () => caller.close(),
  };
}

function describe({ status, text }: HttpAnswer): string {
  return `${status === 0 ? 'no answer' : status} ${text.slice(0, 200)}`;
}
