import { applyDeliveryUpdates } from '@tidings/delivery/delivery-updates';
import {
  purgeLinkHits,
  readClassifiedHits,
  settleLinkHits,
  type ClassifiedHit,
} from '@tidings/delivery/link-hits';
import type { DeliveryUpdate } from '@tidings/delivery/outcome-rules';
import { withAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import type { Database } from '@tidings/postgres/database';

const HITS_PER_STEP = 500;
/** What comes again later than that is looked at once more, and changes nothing. */
const KEPT_MS = 24 * 3_600_000;

/**
 * Tells what visits mean, once others of a burst would have come: a person has opened the mail, or followed a link, or a
 * machine has. To be told twice changes nothing, so a process that ends in the middle, or a second one, does no harm.
 */
export async function classifyLinkHits(db: Database, signal: AbortSignal): Promise<void> {
  let told = HITS_PER_STEP;
  while (told === HITS_PER_STEP && !signal.aborted) {
    const visits = await readClassifiedHits(db, HITS_PER_STEP);
    told = visits.length;
    if (told === 0) break;
    await applyDeliveryUpdates(db, visits.map(outcomeOf));
    await settleLinkHits(db, visits);
  }
  await purgeLinkHits(db, KEPT_MS, HITS_PER_STEP);
}

/** The same, unless another process is at it: all of them would judge the same visits. False then. */
export async function classifyLinkHitsExclusively(
  db: Database,
  signal: AbortSignal,
): Promise<boolean> {
  return (await withAdvisoryLock(db, 'visits', () => classifyLinkHits(db, signal))) !== 'busy';
}

function outcomeOf({ deliveryId, kind, page, at, isMachine }: ClassifiedHit): DeliveryUpdate {
  return {
    deliveryId,
    outcome: kind === 'open' ? 'opened' : 'clicked',
    at,
    isMachine,
    ...(page !== null && { detail: page }),
  };
}
