import { call, type Access, type Answer } from '../shared/api.ts';
import { backoffMs } from '../shared/backoff.ts';
import { nextMessages, nextReceipts, type NextRequest } from './next-request.ts';
import { withLock } from './locks.ts';
import type { Outbox, Pending, Person } from './outbox.ts';

export type SenderOptions = {
  readonly access: Access;
  readonly outbox: Outbox;
  readonly deviceId: () => string;
  readonly person: () => Person;
  readonly onProblem: (code: string, detail?: string) => void;
};

export interface Sender {
  /** Sends queued items soon. */
  wake(delayMs?: number): void;
  /**
   * Sends queued items at once, because the page may be unloaded. They stay in the outbox until
   * confirmed.
   */
  onExit(): void;
}

/** Collects calls for this long into one request. */
const GATHER_MS = 500;
const OTHER_TAB_SENDS_MS = 3_000;
/** The key was rejected; it may be fixed in the dashboard. */
const REFUSED_MS = 300_000;

export function createSender({
  access,
  outbox,
  deviceId,
  person,
  onProblem,
}: SenderOptions): Sender {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Infinity;
  let failures = 0;
  /** Paused by Retry-After or backoff. */
  let pausedUntil = 0;
  let messagesMax: number | undefined;
  const inFlight = new Set<string>();
  const waiting = (): Pending[] => outbox.pending().filter(({ key }) => !inFlight.has(key));
  const nextRequest = (): NextRequest | undefined => {
    const pending = waiting();
    return nextReceipts(pending, deviceId()) ?? nextMessages(pending, person(), messagesMax);
  };

  /** Handles a response. Returns the wait in ms before the next request. */
  function settle(answer: Answer, { keys }: NextRequest): number {
    if (answer.status === 'later') return answer.afterMs || backoffMs(failures++);
    failures = 0;
    if (answer.status === 'refused') {
      onProblem(answer.code);
      if (answer.httpStatus === 403) return REFUSED_MS;
      if (answer.httpStatus === 413 && keys.length > 1) {
        messagesMax = Math.floor(keys.length / 2);
        return 0;
      }
    }
    messagesMax = undefined;
    outbox.remove(keys);
    return 0;
  }

  async function flush(): Promise<void> {
    for (;;) {
      const request = nextRequest();
      if (request === undefined) return;
      request.keys.forEach((key) => inFlight.add(key));
      const answer = await call(access, request.path, { body: request.body, keepalive: true });
      request.keys.forEach((key) => inFlight.delete(key));
      const waitMs = settle(answer, request);
      if (waitMs > 0) {
        pausedUntil = Date.now() + waitMs;
        return wake();
      }
    }
  }

  /**
   * One tab sends for all. A second would be harmless, because ids make sending idempotent, but
   * wasteful.
   */
  let isSending = false;
  async function send(): Promise<void> {
    if (isSending) return;
    isSending = true;
    try {
      await withLock(
        `tidings-send-${access.applicationId}`,
        { ifAvailable: true },
        async (hasLock) => {
          if (hasLock) await flush();
          else if (nextRequest() !== undefined) wake(OTHER_TAB_SENDS_MS);
        },
      );
    } finally {
      isSending = false;
    }
  }

  function wake(delayMs: number = GATHER_MS): void {
    const now = Date.now();
    const at = Math.max(now + delayMs, pausedUntil);
    if (at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => {
      dueAt = Infinity;
      send().catch(() => wake(REFUSED_MS));
    }, at - now);
  }

  function onExit(): void {
    if (Date.now() < pausedUntil) return;
    const pending = waiting();
    const receipts = nextReceipts(pending, deviceId());
    // Beacons have no headers, so the key is in the body. Plain text needs no preflight.
    if (receipts !== undefined) {
      const { applicationId, clientKey: apiKey } = access;
      navigator.sendBeacon?.(
        access.baseUrl + receipts.path,
        JSON.stringify({ applicationId, apiKey, body: receipts.body }),
      );
    }
    const messages = nextMessages(pending, person());
    if (messages !== undefined)
      void call(access, messages.path, { body: messages.body, keepalive: true }).then((answer) =>
        settle(answer, messages),
      );
  }

  addEventListener('online', () => {
    // Ends the backoff after network errors, not the pause after a rejection.
    if (failures > 0) pausedUntil = 0;
    wake(0);
  });
  return { wake, onExit };
}
