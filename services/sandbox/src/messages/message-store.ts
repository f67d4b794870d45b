import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { Counter, stringifyExactJson, type Clock, type Ids, type Logger } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import { Type } from 'typebox';
import { Journal, type LinePlace } from './journal.ts';
import type { MessageCounts, MessageFilter, ReceivedMessage, StoredMessage } from './message.ts';
import { MessageIndex } from './message-index.ts';

const messagesReceived = new Counter({
  name: 'sandbox_messages_received_total',
  help: 'Messages accepted by the stand-in providers.',
  labelNames: ['channel'],
});

/** Fields that the index needs; a line without them is not a message. */
type IndexedFields = Pick<StoredMessage, 'channel' | 'to' | 'campaignId' | 'deliveryId'>;
const parseIndexedFields = createValidator<IndexedFields>(
  Type.Object({
    channel: Type.Unsafe<Channel>({ enum: CHANNELS }),
    to: Type.String(),
    campaignId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    deliveryId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  }),
);

export type MessageStoreOptions = {
  readonly dir: string;
  readonly messagesMax: number;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** All messages that the stand-in providers accepted: stored on disk, indexed in memory. */
export class MessageStore {
  readonly #journal: Journal;
  readonly #index: MessageIndex;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #listeners = new Set<() => void>();

  private constructor(journal: Journal, index: MessageIndex, { clock, ids }: MessageStoreOptions) {
    this.#journal = journal;
    this.#index = index;
    this.#clock = clock;
    this.#ids = ids;
  }

  static async open(options: MessageStoreOptions): Promise<MessageStore> {
    const index = new MessageIndex();
    const journal = await Journal.open({
      dir: options.dir,
      linesMax: options.messagesMax,
      logger: options.logger,
      onReplayed: (line, place) => addReplayed(index, line, place),
      onDropped: (lines) => index.dropOldest(lines),
    });
    return new MessageStore(journal, index, options);
  }

  /** Resolves when the messages are on disk. A provider accepts a message only after that. */
  async keep(received: readonly ReceivedMessage[]): Promise<void> {
    await Promise.all(received.map((message) => this.#keepOne(message)));
    this.#tellListeners();
  }

  /** The newest messages, newest first, each as its stored JSON text. */
  async list(
    filter: MessageFilter,
    limit: number,
  ): Promise<{ readonly count: number; readonly messages: readonly Buffer[] }> {
    const { count, entries } = this.#index.find(filter, limit);
    const lines = await Promise.all(
      entries.map(({ place }) => place.segment.read(place.offset, place.bytes)),
    );
    return { count, messages: lines.filter((line) => line !== undefined) };
  }

  counts(filter: Omit<MessageFilter, 'to'>): MessageCounts {
    return this.#index.counts(filter);
  }

  async clear(): Promise<void> {
    await this.#journal.clear();
    this.#index.clear();
    this.#tellListeners();
  }

  /** Calls `listener` after each change; returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  async #keepOne(received: ReceivedMessage): Promise<void> {
    const message: StoredMessage = {
      id: this.#ids.uuid(),
      receivedAt: this.#clock.now(),
      ...received,
    };
    const place = await this.#journal.append(Buffer.from(stringifyExactJson(message)));
    const { channel, to, campaignId, deliveryId } = message;
    this.#index.add({ channel, to, campaignId, deliveryId, place });
    messagesReceived.inc({ channel });
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}

function addReplayed(index: MessageIndex, line: Buffer, place: LinePlace): boolean {
  let value: unknown;
  try {
    value = JSON.parse(line.toString());
  } catch {
    // An incomplete line, left by a process that was killed while writing.
    return false;
  }
  const fields = parseIndexedFields(value);
  if (!fields.ok) return false;
  const { channel, to, campaignId, deliveryId } = fields.value;
  index.add({ channel, to, campaignId, deliveryId, place });
  return true;
}
