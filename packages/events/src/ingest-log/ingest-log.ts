import type { MessageOutcome, ReceiptReason } from '@tidings/contracts/ingest/ingest';
import type { Database } from '@tidings/postgres/database';
import { listAccepted } from './accepted.ts';
import { toArrivalPage, type ArrivalPage, type ScannedRange } from './arrival.ts';
import { listByReason } from './by-reason.ts';
import type { IngestLogQuery, LogEntry } from './log-entry.ts';
import { listRejectedRequests } from './rejected.ts';
import { mayMatchMessages } from './user-filter.ts';

/** The stored outcome of each reason. */
const OUTCOME_OF = {
  duplicate_id: 'duplicate',
  duplicate_user_time: 'duplicate',
  empty_name: 'dropped',
  unknown_slug: 'dropped',
  slug_kind_mismatch: 'dropped',
  // For events of a deleted user. Held events show it too, but their receipts do not say that they
  // are held.
  unregistered_user: 'dropped',
  invalid_service_user_id: 'dropped',
  empty_user_id: 'dropped',
  identity_conflict: 'dropped',
  // Also stored with `stored`: receipts do not say whether such an event is held.
  identity_unproved: 'processed',
  definition_discarded: 'dropped',
  definition_limit: 'dropped',
  stale_profile_field: 'processed',
  client_key_field: 'processed',
  dead_letter: 'dropped',
} as const satisfies Record<ReceiptReason, MessageOutcome>;

const isReceiptReason = (reason: string): reason is ReceiptReason =>
  Object.hasOwn(OUTCOME_OF, reason);

/**
 * A page of the ingest log, newest first. Every page scans a bounded number of rows, however long
 * the log is. A page that found little is short, and its cursor continues from there.
 */
export async function listIngestLog(
  db: Database,
  query: IngestLogQuery,
): Promise<ArrivalPage<LogEntry>> {
  return toArrivalPage(await readRanges(db, query), query.limit);
}

/** Chooses the queries, so that an index answers each combination of filters. */
async function readRanges(
  db: Database,
  query: IngestLogQuery,
): Promise<readonly ScannedRange<LogEntry>[]> {
  const { outcome, reason, userFilter } = query;
  const isOfMessages = outcome !== 'rejected' && (reason === undefined || isReceiptReason(reason));
  const isOfRequests =
    (outcome === undefined || outcome === 'rejected') &&
    (reason === undefined || !isReceiptReason(reason));
  if (isOfRequests || userFilter !== undefined) {
    const isInMessages = isOfMessages && (userFilter === undefined || mayMatchMessages(userFilter));
    return Promise.all([
      ...(isInMessages ? [listAccepted(db, query)] : []),
      ...(isOfRequests ? [listRejectedRequests(db, query)] : []),
    ]);
  }
  if (!isOfMessages) return [];
  // Whether a message is held depends on its user and is not in the receipt.
  const reasons = reasonsOf(outcome, reason);
  if (query.requestId !== undefined || reasons === null) return [await listAccepted(db, query)];
  return reasons.length === 0 ? [] : [await listByReason(db, { ...query, reasons })];
}

/**
 * The stored reasons that match the filters; null when the filters do not depend on stored reasons.
 */
function reasonsOf(
  outcome: IngestLogQuery['outcome'],
  reason: IngestLogQuery['reason'],
): readonly ReceiptReason[] | null {
  if (reason === 'unregistered_user' && (outcome === undefined || outcome === 'held')) return null;
  if (reason === 'identity_unproved') return null;
  const isAlwaysWithReason = outcome === 'duplicate' || outcome === 'dropped';
  if (reason === undefined && !isAlwaysWithReason) return null;
  return Object.keys(OUTCOME_OF)
    .filter(isReceiptReason)
    .filter(
      (candidate) =>
        (reason === undefined || candidate === reason) &&
        (outcome === undefined || OUTCOME_OF[candidate] === outcome),
    );
}
