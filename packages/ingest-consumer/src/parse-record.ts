import type { BusRecord } from '@tidings/bus';
import {
  INGEST_HEADERS,
  IngestEnvelope,
  ingestRecordIndexes,
  type IngestRecord,
} from '@tidings/contracts';
import { compileValidator, isUuid, needsExactParse, parseEveryDigit } from '@tidings/platform';

const validate = compileValidator<IngestEnvelope>(IngestEnvelope);

/** Clocks differ; by this much they do not. There may be no partition for so late an arrival, so that it could not be stored. */
const AHEAD_MAX_MS = 86_400_000;

/**
 * Reads a record as the gateway wrote it: its facts from the headers, its messages from the request's own bytes. They
 * are validated again, so that whatever else got onto the topic is set aside and never breaks a consumer.
 * `nowMs` is the consumer's clock.
 * @throws Error when it is not one of the gateway's
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
  // The schema speaks of numbers, not of the bigints of an exact parse.
  if (!validate(rounded).ok) throw new Error('a record that is no valid batch');
  const envelope = needsExactParse(text) ? (parseEveryDigit(text) as IngestEnvelope) : rounded;
  const hasNoUser = envelope.customUserId == null && envelope.serviceUserId == null;
  if (hasNoUser && envelope.messages.some(({ type }) => type !== 'businessEvent'))
    throw new Error('a record that names nobody');
  const messageIndexes = ingestRecordIndexes(headers, envelope.messages.length);
  if (messageIndexes === null)
    throw new Error('a record whose messages have no place in their request');
  return {
    requestId: requestId.toLowerCase(),
    applicationId: applicationId.toLowerCase(),
    receivedAt,
    // Whatever else is written there may do no more than a Client key.
    keyType: headers[INGEST_HEADERS.keyType] === 'server' ? 'server' : 'client',
    customUserId: envelope.customUserId ?? null,
    serviceUserId: envelope.serviceUserId?.toLowerCase() ?? null,
    messages: envelope.messages,
    ...(messageIndexes === undefined ? {} : { messageIndexes }),
  };
}
