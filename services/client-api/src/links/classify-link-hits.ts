import { applyDeliveryUpdates } from '@tidings/delivery/delivery-updates';
import {
  purgeLinkHits,
  readClassifiedHits,
  settleLinkHits,
  type ClassifiedHit,
} from '@tidings/link-hits/link-hits';
import type { DeliveryUpdate } from '@tidings/delivery/outcome-rules';
import { withAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import type { Database } from '@tidings/postgres/database';

const HITS_PER_STEP = 500;
/** Classified hits are kept this long. A later repeat is classified again and changes nothing. */
const KEPT_MS = 24 * 3_600_000;

/**
 * Classifies link hits as opens and clicks by a person or a machine, once the rest of a burst would
 * have arrived, and updates the deliveries. Idempotent: a crash or a second process does no harm.
 */
export async function classifyLinkHits(db: Database, signal: AbortSignal): Promise<void> {
  let told = HITS_PER_STEP;
  while (told === HITS_PER_STEP && !signal.aborted) {
    const visits = await readClassifiedHits(db, HITS_PER_STEP);
    told = visits.length;
    if (told === 0) break;
    await applyDeliveryUpdates(db, visits.map(toUpdate));
    await settleLinkHits(db, visits);
  }
  await purgeLinkHits(db, KEPT_MS, HITS_PER_STEP);
}

/**
 * Like {@link classifyLinkHits}, but in one process at a time. Returns false when another process
 * holds the lock.
 */
export async function classifyLinkHitsExclusively(
  db: Database,
  signal: AbortSignal,
): Promise<boolean> {
  return (await withAdvisoryLock(db, 'visits', () => classifyLinkHits(db, signal))) !== 'busy';
}

function toUpdate({ deliveryId, kind, page, at, isMachine }: ClassifiedHit): DeliveryUpdate {
  return {
    deliveryId,
    outcome: kind === 'open' ? 'opened' : 'clicked',
    at,
    isMachine,
    ...(page !== null && { detail: page }),
  };
}
