/**
 * `waiting`: needs an operator's decision. `replaying`: the record is on its way to the consumer
 * again.
 */
export const DEAD_LETTER_STATUSES = ['waiting', 'replaying', 'replayed', 'discarded'] as const;
export type DeadLetterStatus = (typeof DEAD_LETTER_STATUSES)[number];

/** Why a record was set aside: it cannot be parsed, or Postgres rejects its data. */
export const DEAD_LETTER_ERROR_CLASSES = ['unreadable', 'data'] as const;
export type DeadLetterErrorClass = (typeof DEAD_LETTER_ERROR_CLASSES)[number];

/** A dead letter in a list: its origin and status, without its content. */
export type DeadLetterRecord = {
  readonly id: string;
  readonly consumer: string;
  /** Null if the record's headers did not contain it. */
  readonly requestId: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number | bigint;
  readonly errorClass: DeadLetterErrorClass;
  /** SQLSTATE of the rejection. */
  readonly sqlState: string | null;
  readonly status: DeadLetterStatus;
  /** Number of replays of the record. */
  readonly replays: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Size of the value in bytes; 0 after it was discarded. */
  readonly size: number;
};

/** A dead letter with the value of its record; null after it was discarded. */
export type DeadLetterDetail = DeadLetterRecord & {
  readonly encoding: 'utf8' | 'base64';
  readonly value: string | null;
};

/**
 * Additional headers of a replayed record: its dead letter, and the only consumer that must process
 * it.
 */
export const REPLAY_HEADERS = { deadLetterId: 'replay-of', consumer: 'replay-for' } as const;

/** The additional headers of a replayed record. */
export function replayHeaders({
  id,
  consumer,
}: Pick<DeadLetterRecord, 'id' | 'consumer'>): Record<string, string> {
  return { [REPLAY_HEADERS.deadLetterId]: id, [REPLAY_HEADERS.consumer]: consumer };
}
