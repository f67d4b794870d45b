import type { IngestMessage } from './ingest.ts';
import type { KeyType } from './records.ts';

/** One accepted `POST /`, as a consumer reads it from the ingest topic. UUIDs are in lower case, as Postgres writes them. */
export type IngestRecord = {
  readonly requestId: string;
  readonly applicationId: string;
  /** Milliseconds since the epoch, by the gateway's clock. */
  readonly receivedAt: number;
  readonly keyType: KeyType;
  /**
   * How the customUserId was proved, besides the key: by a user token, or by a bare id that the
   * application accepts.
   */
  readonly userProof?: 'token' | 'bare';
  readonly customUserId: string | null;
  /** As sent by the caller; may not be a UUID. */
  readonly serviceUserId: string | null;
  readonly messages: readonly IngestMessage[];
  /** Index of each message in its request, if some messages of the request were rejected. */
  readonly messageIndexes?: readonly number[];
  /** True if the record is read for the first time, so none of its messages is stored yet. */
  readonly isFirstSeen?: boolean;
};

/** One message in its record. */
export type MessageRef = { readonly record: IngestRecord; readonly index: number };

/** The message itself. */
export function messageOf({ record, index }: MessageRef): IngestMessage {
  const message = record.messages[index];
  if (message === undefined) throw new Error('a message reference outside its record');
  return message;
}

/**
 * The stored `message_index`: the position in the request, also if the record has fewer messages.
 */
export function messageIndexOf({ record, index }: MessageRef): number {
  return record.messageIndexes?.[index] ?? index;
}
