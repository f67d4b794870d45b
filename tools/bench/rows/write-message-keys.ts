import type { IngestMessage } from '@tidings/contracts/ingest/ingest';
import { claimMessageKeys, type KeyClaim } from '@tidings/events/message-keys';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { scatteredId } from '../load/scattered-id.ts';

const KEYS_PER_STEP = 5_000;
const MESSAGES_PER_REQUEST = 10;
const IN_PARALLEL = 2;

/**
 * Keys of stored messages, written by the code of the consumers in the order of arrival: the index
 * grows as in operation, at random places, and is not packed as by a later build.
 */
export async function writeMessageKeys(
  db: Database,
  { applicationId, count }: { readonly applicationId: string; readonly count: number },
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next = Math.min(count, from + KEYS_PER_STEP);
      await db.transaction((sql) =>
        claimMessageKeys(sql, buildClaims(applicationId, { from, to: next })),
      );
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, work));
}

function buildClaims(
  applicationId: string,
  { from, to }: { readonly from: number; readonly to: number },
): KeyClaim[] {
  const claims: KeyClaim[] = [];
  for (let number = from; number < to; number += MESSAGES_PER_REQUEST) {
    const record: KeyClaim['record'] = {
      applicationId,
      requestId: systemIds.uuid(),
      receivedAt: Date.now(),
      keyType: 'server',
      customUserId: null,
      serviceUserId: null,
      messages: Array.from({ length: Math.min(MESSAGES_PER_REQUEST, to - number) }, (_, index) =>
        message(scatteredId('kept', { sequence: number / MESSAGES_PER_REQUEST, index })),
      ),
    };
    for (const index of record.messages.keys()) claims.push({ record, index, serviceUserId: null });
  }
  return claims;
}

function message(id: string): IngestMessage {
  return { type: 'action', id, time: Date.now(), customName: 'product_viewed' } as IngestMessage;
}
