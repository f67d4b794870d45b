import { backoffMs, type Logger } from '@tidings/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultTable } from '../faults/fault-table.ts';
import type { MessageStore } from '../messages/message-store.ts';
import { withRetries } from '../providers/with-retries.ts';
import { readInboxMessage, type InboxMessage } from './inbox-message.ts';
import type { SdkClient } from './sdk-client.ts';
import { createEventParser, type ServerEvent } from './server-events.ts';

export type DeviceOptions = {
  readonly deviceId: string;
  readonly customUserId: string;
  readonly calls: SdkClient;
  readonly store: MessageStore;
  readonly faults: FaultTable;
  readonly logger: Logger;
  /** Disconnects the device. */
  readonly signal: AbortSignal;
};

/** The service sends a heartbeat at least every 15 s; a stream silent for longer is dead. */
const SILENCE_MS = 40_000;
const BACKOFF = { baseMs: 500, capMs: 30_000 };
/** The service no longer accepts this device or its key. */
const GONE_STATUSES: readonly number[] = [401, 403, 404];
/**
 * The device remembers shown messages: a repeated one gets another receipt but is not shown again.
 */
const REMEMBERED_MAX = 1_000;

/**
 * A registered device: it listens for messages, stores each as shown, and sends a receipt. Faults:
 * `reset` cuts the stream before a message is read; `delay` sends the receipt late, `drop_reply`
 * never. Resolves when the device has ended.
 */
export async function runDevice(options: DeviceOptions): Promise<void> {
  const { signal, logger } = options;
  const screen = createScreen(options);
  let lastEventId: string | null = null;
  const onEvent = (event: ServerEvent): 'taken' | 'cut' => {
    const message = readInboxMessage(event, options);
    if (message !== undefined && options.faults.strike(message.channel, 'reset') !== undefined)
      return 'cut';
    if (message !== undefined) screen.show(message);
    lastEventId = event.id ?? lastEventId;
    return 'taken';
  };
  for (let failures = 0; !signal.aborted;) {
    const heard = await readStream(options, lastEventId, onEvent);
    if (heard === 'gone') {
      logger.warn({}, 'demonstration device disconnected: the service does not accept it');
      break;
    }
    failures = heard === 'something' ? 0 : failures + 1;
    await delay(backoffMs(BACKOFF, failures), undefined, { signal }).catch(() => undefined);
  }
  await screen.settle();
}

/** Reads one stream to its end. */
async function readStream(
  { calls, deviceId, signal }: DeviceOptions,
  lastEventId: string | null,
  onEvent: (event: ServerEvent) => 'taken' | 'cut',
): Promise<'something' | 'nothing' | 'gone'> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  let heard: 'something' | 'nothing' = 'nothing';
  try {
    const answer = await calls.openStream(deviceId, {
      lastEventId,
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!answer.ok || answer.body === null) {
      await answer.body?.cancel();
      return GONE_STATUSES.includes(answer.status) ? 'gone' : 'nothing';
    }
    const parse = createEventParser();
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      heard = 'something';
      timer.refresh();
      // Breaking the loop closes the stream.
      if (parse(piece).some((event) => onEvent(event) === 'cut')) break;
    }
  } catch {
    // Network error, silence or shutdown: the caller reconnects.
  } finally {
    clearTimeout(timer);
  }
  return heard;
}

function createScreen({ store, faults, calls, deviceId, logger, signal }: DeviceOptions) {
  const shown = new Set<string>();
  const working = new Set<Promise<void>>();

  const remember = (deliveryId: string): void => {
    shown.add(deliveryId);
    const [oldest] = shown;
    if (shown.size > REMEMBERED_MAX && oldest !== undefined) shown.delete(oldest);
  };
  const showOnce = async (message: InboxMessage): Promise<void> => {
    if (shown.has(message.deliveryId)) return;
    remember(message.deliveryId);
    await store.keep([message]).catch((error: unknown) => {
      shown.delete(message.deliveryId);
      throw error;
    });
  };
  const tell = async ({ channel, deliveryId }: InboxMessage): Promise<void> => {
    const late = faults.strike(channel, 'delay');
    if (late !== undefined) await delay(late.delayMs, undefined, { signal });
    if (faults.strike(channel, 'drop_reply') !== undefined) return;
    await withRetries(async () => {
      const { status } = await calls.post(
        'receipts',
        { deviceId, receipts: [{ deliveryId, event: 'displayed' }] },
        signal,
      );
      if (status >= 500 || status === 429) throw new Error(`the receipt returned ${status}`);
      if (status >= 400)
        logger.warn({ status, deliveryId }, 'receipt of a demonstration device rejected');
    }, signal);
  };
  return {
    show(message: InboxMessage): void {
      const work = showOnce(message)
        .then(() => tell(message))
        .catch((err: unknown) => {
          // The service sends it again, since it got no receipt.
          if (!signal.aborted)
            logger.warn(
              { err, deliveryId: message.deliveryId },
              'demonstration device could not store a message or send its receipt',
            );
        });
      working.add(work);
      void work.finally(() => working.delete(work));
    },
    /** Resolves when all work in progress has ended. */
    settle: async (): Promise<void> => void (await Promise.all(working)),
  };
}
