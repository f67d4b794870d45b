import type { Logger } from '@tidings/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { withRetries } from '../with-retries.ts';
import { postSigned } from './signature.ts';
import { DELIVERED_AFTER_MS, SENT_AFTER_MS, statusAt, type TwilioMessage } from './resource.ts';

/** Posts status callbacks of a message to its callback URL, like Twilio. */
export interface StatusCallbacks {
  follow(message: TwilioMessage, authToken: string): void;
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
  const post = async (message: TwilioMessage, authToken: string, now: number): Promise<void> => {
    const { status, errorCode } = statusAt(message, now);
    const parameters = {
      AccountSid: message.accountSid,
      ApiVersion: '2010-04-01',
      From: message.from,
      MessageSid: message.sid,
      MessageStatus: status,
      SmsSid: message.sid,
      SmsStatus: status,
      To: message.to,
      ...(errorCode === null ? {} : { ErrorCode: String(errorCode) }),
    };
    const url = message.statusCallback ?? '';
    const answer = await withSlot(() =>
      postSigned(
        { authToken, url },
        parameters,
        AbortSignal.any([signal, AbortSignal.timeout(CALLBACK_TIMEOUT_MS)]),
      ),
    );
    await answer.body?.cancel();
    if (answer.status >= 500) throw new Error(`the callback returned ${answer.status}`);
    if (answer.status >= 400) logger.warn({ status: answer.status }, 'status callback rejected');
  };
  const follow = async (message: TwilioMessage, authToken: string): Promise<void> => {
    let passed = 0;
    for (const afterMs of [SENT_AFTER_MS, DELIVERED_AFTER_MS]) {
      await delay(afterMs - passed, undefined, { signal });
      passed = afterMs;
      await withRetries(() => post(message, authToken, message.createdAt + afterMs), signal);
    }
  };
  return {
    follow(message, authToken) {
      if (message.statusCallback === null) return;
      follow(message, authToken).catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error }, 'status callback given up');
      });
    },
    close: () => closing.abort(),
  };
}
