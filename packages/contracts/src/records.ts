import type { MessageType } from './ingest.ts';

/** Key types of an API key (see README.md, "Words"). */
export const KEY_TYPES = ['server', 'client'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/** Header names of a record on the ingest topic; its value is the request's own bytes, decompressed. */
export const INGEST_HEADERS = {
  applicationId: 'application-id',
  requestId: 'request-id',
  receivedAt: 'received-at',
  keyType: 'key-type',
  kinds: 'kinds',
} as const;

export type IngestRecordHeaders = {
  readonly applicationId: string;
  readonly requestId: string;
  /** Milliseconds since the epoch, by the gateway's clock. */
  readonly receivedAt: number;
  readonly keyType: KeyType;
  readonly kinds: readonly MessageType[];
};

export function ingestRecordHeaders(headers: IngestRecordHeaders): Record<string, string> {
  return {
    [INGEST_HEADERS.applicationId]: headers.applicationId,
    [INGEST_HEADERS.requestId]: headers.requestId,
    [INGEST_HEADERS.receivedAt]: String(headers.receivedAt),
    [INGEST_HEADERS.keyType]: headers.keyType,
    [INGEST_HEADERS.kinds]: headers.kinds.join(','),
  };
}

/** The kinds of messages inside an ingest record, without parsing its value. */
export function ingestRecordKinds(headers: Readonly<Record<string, string>>): readonly string[] {
  return (headers[INGEST_HEADERS.kinds] ?? '').split(',').filter((kind) => kind !== '');
}

/** The value of a record on the campaigns topic. */
export type CampaignAnnouncement = { readonly campaignId: string };

/** The value of a record on a dispatch topic: at most {@link CHUNK_ROWS_MAX} delivery rows. */
export type ChunkPointer = { readonly campaignId: string; readonly chunkNo: number };

/** Deliveries in one chunk. */
export const CHUNK_ROWS_MAX = 200;
