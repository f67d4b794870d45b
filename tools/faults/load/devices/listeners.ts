import { setTimeout as delay } from 'node:timers/promises';
import {
  openStream,
  type MessageStream,
  type ReceivedMessage,
} from '@tidings/client-api/src/testing/inbox-messages.ts';
import type { ArrivedText } from '../../oracles/rolling/arrived-text.ts';
import type { Audience } from '../../rigs/audience.ts';
import type { RetryingCaller } from '../retrying-caller.ts';

/**
 * Devices that wait for messages, show each and send a receipt: half of them by polling, half by a
 * stream.
 */
export type Listeners = {
  /** Number of arrivals at devices, by delivery. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** What was shown. A message without content is not shown, and gets no receipt. */
  readonly shown: readonly ArrivedText[];
  stop(): Promise<void>;
};

/** Null from a process of the version before, for a message that was rendered. */
type Content = Omit<ReceivedMessage, 'message'> & {
  readonly message: ReceivedMessage['message'] | null;
};

const POLL_SECONDS = 5;
const OPEN_AGAIN_AFTER_MS = 200;
/** As the browser SDK. */
const SILENCE_MS = 40_000;

export function startListeners(
  { clientHeaders, listeners }: Audience,
  { url, caller }: { readonly url: string; readonly caller: RetryingCaller },
): Listeners {
  const stopping = new AbortController();
  const { signal } = stopping;
  const arrivals = new Map<string, number>();
  const shown: ArrivedText[] = [];
  const open = new Set<MessageStream>();

  async function show(deviceId: string, came: readonly Content[]): Promise<void> {
    const messages = came.filter(({ message }) => message !== null);
    for (const { deliveryId, message } of messages) {
      arrivals.set(deliveryId, (arrivals.get(deliveryId) ?? 0) + 1);
      shown.push({ deliveryId, body: String(message?.['body']), receivedAt: Date.now() });
    }
    if (messages.length === 0) return;
    const receipts = messages.map(({ deliveryId }) => ({ deliveryId, event: 'displayed' }));
    await caller.call('receipts', {
      method: 'POST',
      url: `${url}/sdk/v1/receipts`,
      headers: clientHeaders,
      body: JSON.stringify({ deviceId, receipts }),
    });
  }

  async function poll(deviceId: string): Promise<void> {
    while (!signal.aborted) {
      const { status, text } = await caller.call('a long poll', {
        method: 'GET',
        url: `${url}/sdk/v1/messages?deviceId=${deviceId}&wait=${POLL_SECONDS}`,
        headers: clientHeaders,
      });
      if (status === 200)
        await show(
          deviceId,
          (JSON.parse(text) as { readonly messages: readonly Content[] }).messages,
        );
      else await delay(OPEN_AGAIN_AFTER_MS);
    }
  }

  async function stream(deviceId: string): Promise<void> {
    let lastEventId: string | undefined;
    while (!signal.aborted) {
      const what = `the stream of ${deviceId}`;
      const reading = await openStream(url, {
        headers: clientHeaders,
        deviceId,
        lastEventId,
        silenceMs: SILENCE_MS,
      }).catch((error: unknown) => String(error));
      if (typeof reading === 'string' || reading.status !== 200) {
        caller.note(what, typeof reading === 'string' ? reading : `answered ${reading.status}`);
        if (typeof reading !== 'string') reading.close();
        await delay(OPEN_AGAIN_AFTER_MS);
        continue;
      }
      caller.note(what, null);
      open.add(reading);
      if (signal.aborted) reading.close();
      // A stream may end with its process; the next one brings what is missing.
      for (;;) {
        const event = await reading.next().catch(() => null);
        if (event === null) break;
        lastEventId = event.id;
        await show(deviceId, [event.data]);
      }
      open.delete(reading);
    }
  }

  const running = Promise.all(
    [...listeners.values()].map((deviceId, index) =>
      index % 2 === 0 ? poll(deviceId) : stream(deviceId),
    ),
  );
  return {
    arrivals,
    shown,
    async stop() {
      stopping.abort();
      for (const reading of open) reading.close();
      await running;
    },
  };
}
