import type { IngestMessage } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { systemIds } from '@tidings/platform';

type Overrides<T> = { readonly [K in keyof T]?: T[K] };

/** A valid `action` message with an id of its own. */
export function actionMessage(overrides: Readonly<Record<string, unknown>> = {}): IngestMessage {
  return {
    type: 'action',
    id: systemIds.uuid(),
    time: Date.now(),
    customName: 'page_viewed',
    ...overrides,
  } as IngestMessage;
}

/** A `user` message that registers and sets nothing, unless told otherwise. */
export function userMessage(overrides: Readonly<Record<string, unknown>> = {}): IngestMessage {
  return { type: 'user', id: systemIds.uuid(), time: Date.now(), ...overrides } as IngestMessage;
}

/** A record as the gateway would have written it. */
export function ingestRecord(
  overrides: Overrides<IngestRecord> & Pick<IngestRecord, 'applicationId'>,
): IngestRecord {
  return {
    requestId: systemIds.uuid(),
    receivedAt: Date.now(),
    keyType: 'server',
    customUserId: null,
    serviceUserId: null,
    messages: [actionMessage()],
    ...overrides,
  };
}
