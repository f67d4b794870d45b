import type { MessageOutcome, MessageType, ReceiptReason } from '@tidings/contracts/ingest/ingest';
import type { UserFilter } from '@tidings/events/ingest-log/log-entry';
import type { Stamp } from '@tidings/people/profile-merge';
import { parseExactJson } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A message of the ingest log, with what is stored of it. */
export type MessageDetail = {
  readonly requestId: string;
  readonly receivedAt: number;
  readonly index: number;
  readonly id: string;
  readonly type: MessageType;
  readonly outcome: MessageOutcome;
  readonly reason?: ReceiptReason;
  readonly customUserId?: string;
  /**
   * An event: the complete message. A `user` message: the profile fields that still have the value
   * it set. Null: nothing is stored. Integers beyond 2^53 are bigints.
   */
  readonly stored: Readonly<Record<string, unknown>> | null;
  /** The message that used the id first. Absent when messages of both key types have it. */
  readonly duplicateOf?: { readonly requestId: string; readonly index: number };
};

type Row = {
  readonly message_id: string;
  readonly type: MessageType;
  readonly outcome: MessageOutcome;
  readonly reason: ReceiptReason | null;
  readonly received_at: Date;
  readonly custom_user_id: string | null;
  readonly fields: string | null;
  readonly custom_attributes: string | null;
  readonly clocks: string | null;
  readonly time: string | null;
  readonly slug: string | null;
  readonly attributes: string | null;
  readonly revenue: number | null;
  readonly currency: string | null;
  readonly first_request_id: string | null;
  readonly first_index: number | null;
};

type MessagePlace = {
  readonly applicationId: string;
  readonly requestId: string;
  readonly index: number;
};

/**
 * Null when no consumer has processed such a message. All messages of a request belong to one user.
 * If the receipt does not name the user, another receipt or event of the request may, or the profile
 * of the user filter, if this message set one of its fields.
 */
export async function readMessageDetail(
  db: Database,
  { userFilter, ...at }: MessagePlace & { readonly userFilter?: UserFilter },
): Promise<MessageDetail | null> {
  const isTheirs = userFilter?.profileMessages.some(
    ({ requestId, index }) => requestId === at.requestId && index === at.index,
  );
  const { rows } = await db.sql.query<Row>(statement('read-message-detail'), [
    at.requestId,
    at.applicationId,
    at.index,
    isTheirs === true ? userFilter?.customUserId : null,
  ]);
  const [row] = rows;
  if (row === undefined) return null;
  return {
    requestId: at.requestId,
    receivedAt: row.received_at.getTime(),
    index: at.index,
    id: row.message_id,
    type: row.type,
    outcome: row.outcome,
    ...(row.reason !== null && row.outcome !== 'pending' && { reason: row.reason }),
    ...(row.custom_user_id !== null && { customUserId: row.custom_user_id }),
    stored: row.type === 'user' ? profileMessage(row) : eventMessage(row),
    ...(row.first_request_id !== null &&
      row.first_index !== null && {
        duplicateOf: { requestId: row.first_request_id, index: row.first_index },
      }),
  };
}

function eventMessage(row: Row): Record<string, unknown> | null {
  if (row.slug === null || row.time === null) return null;
  return {
    type: row.type,
    id: row.message_id,
    time: parseExactJson(row.time),
    name: row.slug,
    ...(row.attributes !== null && { attributes: parseExactJson(row.attributes) }),
    ...(row.revenue !== null && { revenue: row.revenue }),
    ...(row.currency !== null && { currency: row.currency }),
  };
}

/** Profile stamps contain the message that set each field. Only processed messages set fields. */
function profileMessage(row: Row): Record<string, unknown> | null {
  if (
    row.clocks === null ||
    row.fields === null ||
    row.custom_attributes === null ||
    row.outcome !== 'processed'
  )
    return null;
  const clocks = parseExactJson(row.clocks) as {
    readonly fields?: Record<string, Stamp>;
    readonly custom?: Record<string, Stamp>;
  };
  const own = (stamps: Record<string, Stamp> = {}, values: string): [string, unknown][] => {
    const known = new Map(Object.entries(parseExactJson(values) as Record<string, unknown>));
    return Object.entries(stamps).flatMap(([name, [, id]]) =>
      id === row.message_id ? [[name, known.get(name) ?? null]] : [],
    );
  };
  const fields = own(clocks.fields, row.fields);
  const custom = own(clocks.custom, row.custom_attributes);
  const stamp = [...Object.values(clocks.fields ?? {}), ...Object.values(clocks.custom ?? {})].find(
    ([, id]) => id === row.message_id,
  );
  if (stamp === undefined) return null;
  return {
    type: 'user',
    id: row.message_id,
    time: stamp[0],
    ...Object.fromEntries(fields),
    ...(custom.length > 0 && { customAttributes: Object.fromEntries(custom) }),
  };
}
