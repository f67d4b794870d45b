import { setTimeout as delay } from 'node:timers/promises';

const ATTEMPTS_MAX = 5;
const TIMEOUT_MS = 10_000;
const RETRY_AFTER_MAX_MS = 30_000;
const BATCH_EVERY_MS = 200;
/** A batch has one user and at most 1 MiB; these stay far below it. */
const BATCH_MESSAGES_MAX = 100;
/** Beyond it the oldest are dropped: a shop must not end because its events have nowhere to go. */
const WAITING_MAX = 10_000;

/**
 * A client of Tidings for one application.
 * @param {{ url: string, applicationId: string, serverKey: string }} access
 */
export function createTidings({ url, applicationId, serverKey }) {
  /** @type {{ customUserId: string, message: object }[]} */
  let waiting = [];
  let sending = Promise.resolve();
  let underway = 0;
  // One at a time: while Tidings is slow, no turns pile up.
  const timer = setInterval(() => {
    if (underway === 0 && waiting.length > 0) void flush();
  }, BATCH_EVERY_MS);
  timer.unref();

  /** Sends again after a timeout, a 429 or a 5xx: the ids in the body make that harmless. */
  async function post(path, body, headers = {}) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Application-Id': applicationId,
          'X-API-Key': serverKey,
          ...headers,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch(() => undefined);
      if (answer?.ok) return answer.json();
      const mayRepeat = answer === undefined || answer.status === 429 || answer.status >= 500;
      if (!mayRepeat || attempt === ATTEMPTS_MAX) {
        const text = answer === undefined ? 'no answer' : await answer.text();
        throw Object.assign(new Error(`${path}: ${text}`), { mayRepeat });
      }
      const askedMs = Number(answer?.headers.get('Retry-After') ?? 0) * 1000 || 0;
      await delay(Math.min(RETRY_AFTER_MAX_MS, Math.max(askedMs, 2 ** attempt * 100)));
    }
  }

  /** Adds events to those that wait. */
  function keep(entries) {
    waiting.push(...entries);
    if (waiting.length > WAITING_MAX) waiting.splice(0, waiting.length - WAITING_MAX);
  }

  async function sendWaiting() {
    /** @type {Map<string, object[]>} */
    const byUser = new Map();
    for (const { customUserId, message } of waiting)
      byUser.set(customUserId, [...(byUser.get(customUserId) ?? []), message]);
    waiting = [];
    for (const [customUserId, messages] of byUser) {
      for (let from = 0; from < messages.length; from += BATCH_MESSAGES_MAX) {
        const batch = messages.slice(from, from + BATCH_MESSAGES_MAX);
        await post('/', { customUserId, messages: batch }).catch((error) => {
          console.error('events were not accepted:', error.message);
          // Tidings is away: they wait for the next time. What it refused would be refused again.
          if (error.mayRepeat) keep(batch.map((message) => ({ customUserId, message })));
        });
      }
    }
  }

  /** Sends all events that wait; resolves when Tidings has them. */
  function flush() {
    underway += 1;
    sending = sending.then(sendWaiting).finally(() => (underway -= 1));
    return sending;
  }

  return {
    /** Adds a message about a user. It is sent in a moment, with others. */
    track(customUserId, message) {
      keep([{ customUserId, message: { time: Date.now(), ...message } }]);
    },
    flush,
    /** Sends a message to users. The same key never sends it twice. */
    push: (push, idempotencyKey) => post('/push', push, { 'Idempotency-Key': idempotencyKey }),
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
