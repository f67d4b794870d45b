import { setTimeout as delay } from 'node:timers/promises';
import { createHttpCaller, type HttpAnswer, type HttpCall } from './call.ts';

/** A client that may retry each failed request once. */
export type RetryingCaller = {
  /**
   * Returns the response, after a retry if the first attempt failed. `what` names the request in
   * findings.
   */
  call(what: string, call: HttpCall): Promise<HttpAnswer>;
  /** Records an attempt made elsewhere; a failure must be followed by another attempt. */
  note(what: string, failure: string | null): void;
  readonly counts: { readonly requests: number; readonly secondTries: number };
  /** Requests that failed twice, or with an error that cannot be retried. */
  failures(): readonly string[];
  close(): void;
};

/** Longer than a long poll. */
const TIMEOUT_MS = 40_000;
/** Statuses of temporary failures. */
const RETRYABLE_STATUSES: readonly number[] = [0, 503];
const AGAIN_AFTER_MS = 200;

export function createRetryingCaller(): RetryingCaller {
  const caller = createHttpCaller({ timeoutMs: TIMEOUT_MS });
  const counts = { requests: 0, secondTries: 0 };
  const failures: string[] = [];
  const isFailedOnce = new Set<string>();
  return {
    counts,
    async call(what, call) {
      counts.requests += 1;
      let answer = await caller.call(call);
      if (RETRYABLE_STATUSES.includes(answer.status)) {
        const first = describe(answer);
        counts.secondTries += 1;
        await delay(Math.max(AGAIN_AFTER_MS, Number(answer.retryAfter ?? 0) * 1_000));
        answer = await caller.call(call);
        if (answer.status !== 200) failures.push(`${what}: ${first}, then ${describe(answer)}`);
      } else if (answer.status !== 200) failures.push(`${what}: ${describe(answer)}`);
      return answer;
    },
    note(what, failure) {
      counts.requests += 1;
      if (failure === null) isFailedOnce.delete(what);
      else if (isFailedOnce.has(what)) failures.push(`${what}: twice, the last time ${failure}`);
      else {
        isFailedOnce.add(what);
        counts.secondTries += 1;
      }
    },
    failures: () => failures,
    close: () => caller.close(),
  };
}

function describe({ status, text }: HttpAnswer): string {
  return `${status === 0 ? 'no answer' : status} ${text.slice(0, 200)}`;
}
