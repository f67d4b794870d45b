import type { IngestMessage } from './ingest.ts';
import type { KeyType } from './records.ts';

/** One accepted `POST /`, as a consumer reads it from the ingest topic. UUIDs are in lower case, as Postgres writes them. */
export type IngestRecord = {
  readonly requestId: string;
  readonly applicationId: string;
  /** Milliseconds since the epoch, by the gateway's clock. */
  readonly receivedAt: number;
  readonly keyType: KeyType;
  /** What proved the customUserId beside the key: a user token, or a bare one that the application believes. */
  readonly userProof?: 'token' | 'bare';
  readonly customUserId: string | null;
  /** As the caller sent it: maybe not a UUID at all. */
  readonly serviceUserId: string | null;
  readonly messages: readonly IngestMessage[];
  /** Where each message stood in its request, when some of that were rejected and are not here. */
  readonly messageIndexes?: readonly number[];
  /** Nobody took it before, so that no row of its messages can stand. */
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

/** The stored `message_index`: where the message stood in its request, whatever is left of it in the record. */
export function messageIndexOf({ record, index }: MessageRef): number {
  return record.messageIndexes?.[index] ?? index;
}
