import type { Logger } from '@tidings/platform';
import type { ReceivedMessage } from '../messages/message.ts';
import { withRetries } from '../providers/with-retries.ts';
import { deviceIdOf, pushAddressOf } from './device-ids.ts';
import type { SdkClient } from './sdk-client.ts';

/** Sends a receipt for each push that a browser or phone gets, like the SDK. */
export interface PushReceipts {
  add(address: string, calls: SdkClient): void;
  /**
   * A push was stored: reports `displayed` for a browser, `received` for a phone. Ignores unknown
   * addresses.
   */
  arrived(message: ReceivedMessage): void;
  close(): Promise<void>;
}

/** Beyond this, the oldest device sends no receipts. */
const DEVICES_MAX = 10_000;

export function createPushReceipts(logger: Logger): PushReceipts {
  const callsOf = new Map<string, SdkClient>();
  const telling = new Set<Promise<void>>();
  const ending = new AbortController();
  return {
    add(address, calls) {
      callsOf.set(address, calls);
      const [oldest] = callsOf.keys();
      if (callsOf.size > DEVICES_MAX && oldest !== undefined) callsOf.delete(oldest);
    },
    arrived({ channel, to, deliveryId }) {
      const address = pushAddressOf(to);
      const calls = callsOf.get(address);
      if (calls === undefined || deliveryId === null || ending.signal.aborted) return;
      // A browser must show each push. On a phone, its user decides.
      const event = channel === 'WEB_PUSH' ? 'displayed' : 'received';
      const work = withRetries(async () => {
        const { status } = await calls.post(
          'receipts',
          { deviceId: deviceIdOf(address), receipts: [{ deliveryId, event }] },
          ending.signal,
        );
        if (status >= 500 || status === 429) throw new Error(`the receipt returned ${status}`);
        if (status >= 400)
          logger.warn({ status, deliveryId }, 'receipt of a demonstration device rejected');
      }, ending.signal).catch((err: unknown) => {
        if (!ending.signal.aborted)
          logger.warn({ err, deliveryId }, 'demonstration device could not send a receipt');
      });
      telling.add(work);
      void work.finally(() => telling.delete(work));
    },
    async close() {
      ending.abort();
      await Promise.all(telling);
    },
  };
}
