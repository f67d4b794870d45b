import { backoffMs, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import {
  recordWebhookOutcomes,
  type DisabledEndpoint,
  type WebhookOutcome,
} from '@tidings/webhook-queue/queue';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Records outcomes. Those that arrive while a statement runs are written together by the next one.
 */
export interface OutcomeRecorder {
  /** Resolves when the outcome is durable. */
  record(outcome: WebhookOutcome): Promise<void>;
}

const OUTCOMES_PER_STATEMENT = 100;
const RETRY = { baseMs: 100, capMs: 2_000 };
const RETRY_WAIT_MIN_MS = 50;

/** Retries while Postgres is down. If the process ends first, the webhook is sent again. */
export function createOutcomeRecorder({
  db,
  logger,
  disableAfterMs,
  onDisabled,
}: {
  readonly db: Database;
  readonly logger: Logger;
  readonly disableAfterMs: number;
  readonly onDisabled: (endpoint: DisabledEndpoint) => void;
}): OutcomeRecorder {
  let queue: { readonly outcome: WebhookOutcome; readonly done: () => void }[] = [];
  let isWriting = false;

  const write = async (outcomes: readonly WebhookOutcome[]): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        for (const endpoint of await recordWebhookOutcomes(db, outcomes, { disableAfterMs }))
          onDisabled(endpoint);
        return;
      } catch (error) {
        logger.warn(
          { err: error, outcomes: outcomes.length },
          'recording webhook outcomes failed, retrying',
        );
        await delay(RETRY_WAIT_MIN_MS + backoffMs(RETRY, attempt));
      }
    }
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (queue.length > 0) {
      const taken = queue.slice(0, OUTCOMES_PER_STATEMENT);
      queue = queue.slice(OUTCOMES_PER_STATEMENT);
      await write(taken.map(({ outcome }) => outcome));
      for (const { done } of taken) done();
    }
    isWriting = false;
  };

  return {
    record(outcome) {
      return new Promise((resolve) => {
        queue.push({ outcome, done: resolve });
        if (!isWriting) void writeAll();
      });
    },
  };
}
