/** `waiting` for somebody to look; `replaying`: its record is on its way to the consumer again. */
export const DEAD_LETTER_STATUSES = ['waiting', 'replaying', 'replayed', 'discarded'] as const;
export type DeadLetterStatus = (typeof DEAD_LETTER_STATUSES)[number];

/** Why a record was set aside: nobody can read it, or Postgres refuses what is in it. */
export const DEAD_LETTER_ERROR_CLASSES = ['unreadable', 'data'] as const;
export type DeadLetterErrorClass = (typeof DEAD_LETTER_ERROR_CLASSES)[number];

/** A dead letter in a list: where it came from and what became of it, nothing of what is in it. */
export type DeadLetterRecord = {
  readonly id: string;
  readonly consumer: string;
  /** Null when the record's headers did not say. */
  readonly requestId: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number | bigint;
  readonly errorClass: DeadLetterErrorClass;
  /** Postgres' own code of the refusal. */
  readonly sqlState: string | null;
  readonly status: DeadLetterStatus;
  /** How often its record was taken again. */
  readonly replays: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Bytes of the value; 0 once they were discarded. */
  readonly size: number;
};

/** One dead letter with its record's value; null once it was discarded. */
export type DeadLetterDetail = DeadLetterRecord & {
  readonly encoding: 'utf8' | 'base64';
  readonly value: string | null;
};

/** Headers that a record has beside its own when it is a replay: of which letter, and for which consumer alone. */
export const REPLAY_HEADERS = { deadLetterId: 'replay-of', consumer: 'replay-for' } as const;

/** What the record of a replay has beside the headers that it had. */
export function replayHeaders({
  id,
  consumer,
}: Pick<DeadLetterRecord, 'id' | 'consumer'>): Record<string, string> {
  return { [REPLAY_HEADERS.deadLetterId]: id, [REPLAY_HEADERS.consumer]: consumer };
}
