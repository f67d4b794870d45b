import { INGEST_HEADERS, IngestEnvelope, type KeyType } from '@tidings/contracts';
import type { BusRecord } from '@tidings/bus';
import type { IngestRecord } from '@tidings/db';
import { compileValidator, isUuid, needsExactParse, parseExactJson } from '@tidings/platform';

const validate = compileValidator<IngestEnvelope>(IngestEnvelope);

/**
 * Reads a record as the gateway wrote it: its facts from the headers, its messages from the request's own bytes. They
 * are validated again, so that whatever else got onto the topic is set aside and never breaks a consumer.
 * @throws Error when it is not one of the gateway's
 */
export function parseIngestRecord({ headers, value }: Pick<BusRecord, 'headers' | 'value'>): IngestRecord {
  const requestId = headers[INGEST_HEADERS.requestId] ?? '';
  const applicationId = headers[INGEST_HEADERS.applicationId] ?? '';
  const receivedAt = Number(headers[INGEST_HEADERS.receivedAt]);
  if (!isUuid(requestId) || !isUuid(applicationId) || !Number.isSafeInteger(receivedAt)) {
    throw new Error('a record without the headers of an ingest record');
  }
  const text = value.toString('utf8');
  const envelope = parseExactJson(text) as IngestEnvelope;
  // The schema speaks of numbers, not of the bigints of an exact parse.
  if (!validate(needsExactParse(text) ? JSON.parse(text) : envelope).ok) throw new Error('a record that is no valid batch');
  const isOfNobody = envelope.customUserId == null && envelope.serviceUserId == null;
  if (isOfNobody && envelope.messages.some(({ type }) => type !== 'businessEvent')) throw new Error('a record that names nobody');
  return {
    requestId: requestId.toLowerCase(),
    applicationId: applicationId.toLowerCase(),
    receivedAt,
    keyType: (headers[INGEST_HEADERS.keyType] ?? 'client') as KeyType,
    customUserId: envelope.customUserId ?? null,
    serviceUserId: envelope.serviceUserId?.toLowerCase() ?? null,
    messages: envelope.messages,
  };
}
