import type { BusRecord } from '@tidings/bus';
import { IngestEnvelope } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { INGEST_HEADERS, ingestRecordIndexes } from '@tidings/contracts/ingest/records';
import { isUuid, needsExactParse, parseEveryDigit } from '@tidings/platform';
import { createValidator } from '@tidings/validation';

const validate = createValidator<IngestEnvelope>(IngestEnvelope, { isHot: true });

/**
 * Clocks may differ, but not by a day. No partition may exist for a later arrival, so it could not
 * be stored.
 */
const AHEAD_MAX_MS = 86_400_000;

/**
 * Parses a record of the gateway: metadata from the headers, messages from the request's bytes.
 * Validates it again, so that foreign records on the topic are set aside and never break a
 * consumer. `nowMs` is the consumer's clock.
 * @throws Error when it is not a gateway record
 */
export function parseIngestRecord(
  { headers, value }: Pick<BusRecord, 'headers' | 'value'>,
  nowMs: number,
): IngestRecord {
  const requestId = headers[INGEST_HEADERS.requestId] ?? '';
  const applicationId = headers[INGEST_HEADERS.applicationId] ?? '';
  const receivedAt = Number(headers[INGEST_HEADERS.receivedAt]);
  const isArrival =
    Number.isSafeInteger(receivedAt) && receivedAt > 0 && receivedAt <= nowMs + AHEAD_MAX_MS;
  if (!isUuid(requestId) || !isUuid(applicationId) || !isArrival) {
    throw new Error('a record without the headers of an ingest record');
  }
  const text = value.toString('utf8');
  const rounded = JSON.parse(text) as IngestEnvelope;
  // The schema describes numbers, not the bigints of an exact parse.
  if (!validate(rounded).ok) throw new Error('a record that is not a valid batch');
  const envelope = needsExactParse(text) ? (parseEveryDigit(text) as IngestEnvelope) : rounded;
  const hasNoUser = envelope.customUserId == null && envelope.serviceUserId == null;
  if (hasNoUser && envelope.messages.some(({ type }) => type !== 'businessEvent'))
    throw new Error('a record without a user');
  const messageIndexes = ingestRecordIndexes(headers, envelope.messages.length);
  if (messageIndexes === null) throw new Error('a record with invalid message indexes');
  return {
    requestId: requestId.toLowerCase(),
    applicationId: applicationId.toLowerCase(),
    receivedAt,
    // Any other value gets only the rights of a Client key.
    keyType: headers[INGEST_HEADERS.keyType] === 'server' ? 'server' : 'client',
    customUserId: envelope.customUserId ?? null,
    serviceUserId: envelope.serviceUserId?.toLowerCase() ?? null,
    messages: envelope.messages,
    ...(messageIndexes === undefined ? {} : { messageIndexes }),
  };
}
