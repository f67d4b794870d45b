import type { MessageType } from './ingest.ts';

/** Key types of an API key (see README.md, "Words"). */
export const KEY_TYPES = ['server', 'client'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/**
 * Header names of a record on the ingest topic. Its value is the decompressed request body. The
 * record of a partially accepted request contains only the accepted messages, and `indexes` gives
 * their positions in the request.
 */
export const INGEST_HEADERS = {
  applicationId: 'application-id',
  requestId: 'request-id',
  receivedAt: 'received-at',
  keyType: 'key-type',
  kinds: 'kinds',
  indexes: 'indexes',
} as const;

export type IngestRecordHeaders = {
  readonly applicationId: string;
  readonly requestId: string;
  /** Milliseconds since the epoch, by the gateway's clock. */
  readonly receivedAt: number;
  readonly keyType: KeyType;
  readonly kinds: readonly MessageType[];
  /** Index of each message in its request; absent if the record has all of them. */
  readonly messageIndexes?: readonly number[];
};

export function ingestRecordHeaders(headers: IngestRecordHeaders): Record<string, string> {
  return {
    [INGEST_HEADERS.applicationId]: headers.applicationId,
    [INGEST_HEADERS.requestId]: headers.requestId,
    [INGEST_HEADERS.receivedAt]: String(headers.receivedAt),
    [INGEST_HEADERS.keyType]: headers.keyType,
    [INGEST_HEADERS.kinds]: headers.kinds.join(','),
    ...(headers.messageIndexes === undefined
      ? {}
      : { [INGEST_HEADERS.indexes]: headers.messageIndexes.join(',') }),
  };
}

/** The kinds of messages inside an ingest record, without parsing its value. */
export function ingestRecordKinds(headers: Readonly<Record<string, string>>): readonly string[] {
  return (headers[INGEST_HEADERS.kinds] ?? '').split(',').filter((kind) => kind !== '');
}

/**
 * Index of each of the `count` messages of a record in its request. Undefined if the record has all
 * of them; null if the header is invalid.
 */
export function ingestRecordIndexes(
  headers: Readonly<Record<string, string>>,
  count: number,
): readonly number[] | undefined | null {
  const header = headers[INGEST_HEADERS.indexes];
  if (header === undefined) return undefined;
  const written = header.split(',');
  const isList =
    written.length === count && written.every((text) => /^(0|[1-9]\d{0,2})$/.test(text));
  const indexes = written.map(Number);
  return isList &&
    indexes.every((index, position) => position === 0 || index > (indexes[position - 1] ?? 0))
    ? indexes
    : null;
}

/** Value of a record on the campaigns topic. */
export type CampaignQueueRecord = { readonly campaignId: string };

/**
 * A chunk of a campaign: at most {@link CHUNK_ROWS_MAX} delivery rows. Those of a personalised
 * campaign have negative numbers: workers that cannot render skip their dispatch records.
 */
export type ChunkRef = { readonly campaignId: string; readonly chunkNo: number };

/** Value of a record on a dispatch topic. Older versions wrote no `applicationId`. */
export type DispatchRecord = ChunkRef & { readonly applicationId?: string };

/** Deliveries in one chunk. */
export const CHUNK_ROWS_MAX = 200;
