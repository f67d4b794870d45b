import type { MessageOutcome, ReceiptReason } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { listAccepted } from './accepted.ts';
import { toArrivalPage, type ArrivalPage, type ScannedRange } from './arrival.ts';
import { listByReason } from './by-reason.ts';
import type { IngestLogQuery, LogEntry } from './log-entry.ts';
import { listRejectedRequests } from './rejected.ts';
import { mayMatchMessages } from './user-filter.ts';

/** The outcome that each reason is stored with. */
const OUTCOME_OF = {
  duplicate_id: 'duplicate',
  duplicate_user_time: 'duplicate',
  empty_name: 'dropped',
  unknown_slug: 'dropped',
  slug_kind_mismatch: 'dropped',
  // Of events of a deleted user. Held ones have it too, but no receipt says that they are held.
  unregistered_user: 'dropped',
  invalid_service_user_id: 'dropped',
  empty_user_id: 'dropped',
  identity_conflict: 'dropped',
  // Stored beside `stored` too: whether such an event is held, no receipt says.
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
 * A page of what became of requests and their messages, newest first. A page costs a bounded look, however long the
 * log is: one that found little within the bound is short, and its cursor goes on from there.
 */
export async function listIngestLog(
  db: Database,
  query: IngestLogQuery,
): Promise<ArrivalPage<LogEntry>> {
  return toArrivalPage(await readRanges(db, query), query.limit);
}

/** Each kind of question by the index that answers it. */
async function readRanges(
  db: Database,
  query: IngestLogQuery,
): Promise<readonly ScannedRange<LogEntry>[]> {
  const { outcome, reason, userFilter } = query;
  const isOfMessages = outcome !== 'refused' && (reason === undefined || isReceiptReason(reason));
  const isOfRequests =
    (outcome === undefined || outcome === 'refused') &&
    (reason === undefined || !isReceiptReason(reason));
  if (isOfRequests || userFilter !== undefined) {
    const isInMessages = isOfMessages && (userFilter === undefined || mayMatchMessages(userFilter));
    return Promise.all([
      ...(isInMessages ? [listAccepted(db, query)] : []),
      ...(isOfRequests ? [listRejectedRequests(db, query)] : []),
    ]);
  }
  if (!isOfMessages) return [];
  // Whether a message is held is its user's state, which no receipt says.
  const reasons = reasonsOf(outcome, reason);
  if (query.requestId !== undefined || reasons === null) return [await listAccepted(db, query)];
  return reasons.length === 0 ? [] : [await listByReason(db, { ...query, reasons })];
}

/** The stored reasons that the filters come down to; null when they say nothing of stored reasons. */
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
