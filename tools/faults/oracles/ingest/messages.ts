import type { SentBatch, SentEntry, SentMessage } from '../../load/ingest/batches.ts';
import { isAcknowledged } from '../../load/ledger.ts';
import type { Stored, StoredReceipt } from './stored.ts';

export type MessageFindings = {
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly unexpected: readonly string[];
};

const HOLDING: ReadonlySet<string> = new Set(['stored', 'processed', 'held']);

/** The messages of one application's ledger. */
type Sent = {
  /** All messages sent with an id. */
  readonly byId: ReadonlyMap<string, readonly SentMessage[]>;
  /** Number of times each id was sent. */
  readonly timesById: ReadonlyMap<string, number>;
  /** Number of times each (serviceUserId, time) was sent with an event. */
  readonly timesByUserTime: ReadonlyMap<string, number>;
};

/**
 * Checks the stored data of one application: every message of an accepted batch is stored once, or
 * has a receipt with an allowed reason. Nothing is stored twice, and nothing that was never sent.
 */
export function checkMessages(
  entries: readonly SentEntry[],
  { receipts, events }: Stored,
): MessageFindings {
  const sent = collectSent(entries);
  const ours = receipts.filter(({ messageId }) => sent.byId.has(messageId));
  const answered = checkReceipts(entries, { receipts: ours, sent });
  const repeats = checkRepeats(entries, ours);
  const stored = checkEvents(events, { receipts: ours, sent });
  return {
    lost: [...answered.lost, ...repeats.lost, ...stored.lost],
    twice: [...repeats.twice, ...stored.twice],
    unexpected: [...answered.unexpected, ...stored.unexpected],
  };
}

type OwnReceipts = { readonly receipts: readonly StoredReceipt[]; readonly sent: Sent };

/** Each message of an accepted batch has an allowed receipt. */
function checkReceipts(
  entries: readonly SentEntry[],
  { receipts, sent }: OwnReceipts,
): Pick<MessageFindings, 'lost' | 'unexpected'> {
  const lost: string[] = [];
  const unexpected: string[] = [];
  const byRequest = Map.groupBy(receipts, ({ requestId }) => requestId);
  for (const { batch, attempts } of entries) {
    for (const { status, requestId = '' } of attempts) {
      if (status !== 200) continue;
      const found = new Map(
        (byRequest.get(requestId) ?? []).map((receipt) => [receipt.index, receipt]),
      );
      for (const [index, message] of batch.messages.entries()) {
        const receipt = found.get(index);
        if (receipt === undefined) lost.push(`${message.id}: no receipt in request ${requestId}`);
        else if (receipt.outcome === 'pending')
          lost.push(`${message.id}: pending in request ${requestId}`);
        else if (!isAllowed({ batch, index, receipt }, sent))
          unexpected.push(
            `${message.id}: ${receipt.outcome} ${receipt.reason} in request ${requestId}`,
          );
      }
    }
  }
  return { lost, unexpected };
}

/** Of the receipts of one id, exactly one holds the message, unless a rule rejected it. */
function checkRepeats(
  entries: readonly SentEntry[],
  receipts: readonly StoredReceipt[],
): Pick<MessageFindings, 'lost' | 'twice'> {
  const lost: string[] = [];
  const twice: string[] = [];
  const holders = Map.groupBy(
    receipts.filter(({ outcome }) => HOLDING.has(outcome)),
    ({ messageId }) => messageId,
  );
  for (const [id, list] of holders)
    if (list.length > 1) twice.push(`${id}: ${list.length} receipts hold it`);
  const refusedByOtherRules = new Set(
    receipts
      .filter(({ outcome, reason }) => outcome !== 'pending' && reason !== 'duplicate_id')
      .map(({ messageId }) => messageId),
  );
  for (const id of acknowledgedIds(entries)) {
    if (!holders.has(id) && !refusedByOtherRules.has(id))
      lost.push(`${id}: marked as duplicate, but there is no original`);
  }
  return { lost, twice };
}

/** Each event was sent, is stored once, and has a receipt; each receipt of an event has the event. */
function checkEvents(events: Stored['events'], { receipts, sent }: OwnReceipts): MessageFindings {
  const lost: string[] = [];
  const twice: string[] = [];
  const unexpected: string[] = [];
  for (const [id, list] of Map.groupBy(events, ({ messageId }) => messageId))
    if (list.length > 1) twice.push(`${id}: ${list.length} events`);

  const eventKeys = new Set(events.map(keyOf));
  for (const event of events) {
    const isSent =
      sent.byId.get(event.messageId)?.some((message) => isSame(message, event)) ?? false;
    if (!isSent) unexpected.push(`${event.messageId}: an event that was never sent`);
  }
  const held = receipts.filter(({ outcome }) => HOLDING.has(outcome));
  for (const receipt of held) {
    if (receipt.type !== 'user' && !eventKeys.has(keyOf(receipt)))
      lost.push(`${receipt.messageId}: ${receipt.outcome}, and no event`);
  }
  const heldKeys = new Set(held.map(keyOf));
  for (const event of events)
    if (!heldKeys.has(keyOf(event)))
      unexpected.push(`${event.messageId}: an event without a matching receipt`);
  return { lost, twice, unexpected };
}

/** The rules of receipts, derived from the documented interface and not from the product's code. */
function isAllowed(
  {
    batch,
    index,
    receipt,
  }: { readonly batch: SentBatch; readonly index: number; readonly receipt: StoredReceipt },
  sent: Sent,
): boolean {
  const message = batch.messages[index];
  if (message === undefined || message.id !== receipt.messageId || message.type !== receipt.type)
    return false;
  const { outcome, reason } = receipt;
  if (HOLDING.has(outcome))
    return (
      namingFault(message) === null &&
      (reason === null ||
        (reason === 'stale_profile_field' && message.type === 'user') ||
        outcome === 'held')
    );
  if (outcome === 'dropped') return reason !== null && reason === namingFault(message);
  if (reason === 'duplicate_id') return (sent.timesById.get(message.id) ?? 0) > 1;
  if (
    reason !== 'duplicate_user_time' ||
    message.type === 'user' ||
    batch.serviceUserId === undefined
  )
    return false;
  return (sent.timesByUserTime.get(`${batch.serviceUserId}/${message.time}`) ?? 0) > 1;
}

function namingFault(message: SentMessage): string | null {
  if (message.type === 'user') return null;
  if (message['name'] === 'no-such') return 'unknown_slug';
  return typeof message['customName'] === 'string' && message['customName'].trim() !== ''
    ? null
    : 'empty_name';
}

function collectSent(entries: readonly SentEntry[]): Sent {
  const byId = new Map<string, SentMessage[]>();
  const timesById = new Map<string, number>();
  const timesByUserTime = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string, times: number): void => {
    counts.set(key, (counts.get(key) ?? 0) + times);
  };
  for (const { batch, attempts } of entries) {
    for (const message of batch.messages) {
      byId.set(message.id, [...(byId.get(message.id) ?? []), message]);
      add(timesById, message.id, attempts.length);
      if (message.type !== 'user' && batch.serviceUserId !== undefined)
        add(timesByUserTime, `${batch.serviceUserId}/${message.time}`, attempts.length);
    }
  }
  return { byId, timesById, timesByUserTime };
}

function acknowledgedIds(entries: readonly SentEntry[]): ReadonlySet<string> {
  return new Set(
    entries.filter(isAcknowledged).flatMap(({ batch }) => batch.messages.map(({ id }) => id)),
  );
}

function isSame(
  message: SentMessage,
  event: {
    readonly type: string;
    readonly time: number;
    readonly tag: string | null;
    readonly revenue: number | null;
  },
): boolean {
  if (message.type !== event.type || message.time !== event.time) return false;
  if (message.type === 'revenue') return message['revenue'] === event.revenue;
  return (message['attributes'] as { readonly tag?: unknown } | undefined)?.tag === event.tag;
}

function keyOf({
  requestId,
  index,
}: {
  readonly requestId: string;
  readonly index: number;
}): string {
  return `${requestId}/${index}`;
}
