import type { Channel } from '@tidings/contracts/channels/channels';
import type { DeliveryReason, DeliveryState } from '@tidings/contracts/push/deliveries';
import { toEventRecord, type EventRow } from '@tidings/events/event-row';
import type { EventRecord } from '@tidings/events/events';
import type { Stamp } from '@tidings/people/profile-merge';
import { parseExactJson } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * An entry of a user's timeline: an event by event time, a message by creation time, or a profile
 * change.
 */
export type TimelineItem =
  | { readonly kind: 'event'; readonly at: number | bigint; readonly event: EventRecord }
  | { readonly kind: 'message'; readonly at: number; readonly message: TimelineMessage }
  /**
   * The fields that still have the value of one `user` message. Overwritten values are not kept.
   */
  | {
      readonly kind: 'profile';
      readonly at: number | bigint;
      readonly messageId: string;
      readonly fields: readonly string[];
    };

export type TimelineMessage = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly channel: Channel;
  readonly status: DeliveryState;
  readonly reason: DeliveryReason | null;
  readonly sentAt: number | null;
};

export type TimelinePage = {
  readonly items: readonly TimelineItem[];
  readonly nextCursor: string | null;
};
/** The position in each of the three sources. */
type Cursor = {
  readonly event: string | null;
  readonly message: string | null;
  readonly profile: number;
};
type TimelineQuery = {
  readonly userIds: readonly string[];
  readonly cursor: Cursor;
  readonly limit: number;
};
type TimelineEntry = { readonly item: TimelineItem; readonly advance: (cursor: Cursor) => Cursor };

const START: Cursor = { event: null, message: null, profile: 0 };
const CURSOR = /^(?:(-?\d{1,19}_[0-9a-f-]{36}_\d{1,4}))?~(?:([0-9a-f-]{36}))?~(\d{1,4})$/;

/** Null for an invalid cursor. */
export function parseTimelineCursor(text: string): Cursor | null {
  const [, event, message, profile] = CURSOR.exec(text) ?? [];
  return profile === undefined
    ? null
    : { event: event ?? null, message: message ?? null, profile: Number(profile) };
}

/** A page of a registered user's timeline, newest first, merged from three sources. */
export async function readTimeline(
  db: Database,
  userIds: readonly string[],
  page: { readonly cursor?: string; readonly limit: number },
): Promise<TimelinePage> {
  const cursor = (page.cursor === undefined ? null : parseTimelineCursor(page.cursor)) ?? START;
  const look: TimelineQuery = { userIds, cursor, limit: page.limit + 1 };
  const placed = (
    await Promise.all([readEvents(db, look), readMessages(db, look), readProfileChanges(db, look)])
  )
    .flat()
    .toSorted(byTime);
  const shown = placed.slice(0, page.limit);
  const end = shown.reduce((at, { advance }) => advance(at), cursor);
  return {
    items: shown.map(({ item }) => item),
    nextCursor:
      placed.length > page.limit ? `${end.event ?? ''}~${end.message ?? ''}~${end.profile}` : null,
  };
}

function byTime(a: TimelineEntry, b: TimelineEntry): number {
  if (a.item.at === b.item.at) return 0;
  return a.item.at < b.item.at ? 1 : -1;
}

async function readEvents(
  db: Database,
  { userIds, cursor: { event }, limit }: TimelineQuery,
): Promise<TimelineEntry[]> {
  const [time, requestId, index] = event?.split('_') ?? [];
  const { rows } = await db.sql.query<EventRow>(statement('read-timeline-events'), [
    userIds,
    time ?? null,
    requestId ?? null,
    index ?? null,
    limit,
  ]);
  return rows.map((row) => {
    const record = toEventRecord(row);
    return {
      item: { kind: 'event', at: record.time, event: record },
      advance: (cursor) => ({
        ...cursor,
        event: `${row.time}_${row.request_id}_${row.message_index}`,
      }),
    };
  });
}

type DeliveryRow = {
  readonly id: string;
  readonly campaign_id: string;
  readonly channel: Channel;
  readonly state: DeliveryState;
  readonly reason: DeliveryReason | null;
  readonly created_at: Date;
  readonly sent_at: Date | null;
};

async function readMessages(
  db: Database,
  { userIds, cursor: { message }, limit }: TimelineQuery,
): Promise<TimelineEntry[]> {
  const { rows } = await db.sql.query<DeliveryRow>(statement('read-timeline-messages'), [
    userIds,
    message,
    limit,
  ]);
  return rows.map((row) => ({
    item: {
      kind: 'message',
      at: row.created_at.getTime(),
      message: {
        deliveryId: row.id,
        campaignId: row.campaign_id,
        channel: row.channel,
        status: row.state,
        reason: row.reason,
        sentAt: row.sent_at?.getTime() ?? null,
      },
    },
    advance: (cursor) => ({ ...cursor, message: row.id }),
  }));
}

/** Derived from the profile stamps, which contain the message that set each field. */
async function readProfileChanges(
  db: Database,
  { userIds: [userId], cursor: { profile } }: TimelineQuery,
): Promise<TimelineEntry[]> {
  const { rows } = await db.sql.query<{ clocks: string }>(statement('read-profile-stamps'), [
    userId,
  ]);
  const clocks = parseExactJson(rows[0]?.clocks ?? '{}') as {
    readonly fields?: Record<string, Stamp>;
    readonly custom?: Record<string, Stamp>;
  };
  const stamps = [
    ...Object.entries(clocks.fields ?? {}),
    ...Object.entries(clocks.custom ?? {}).map(
      ([name, stamp]) => [`customAttributes.${name}`, stamp] as const,
    ),
  ];
  return [...Map.groupBy(stamps, ([, [time, id]]) => `${time} ${id}`).values()]
    .flatMap(
      (
        own,
      ): {
        readonly at: number | bigint;
        readonly messageId: string;
        readonly fields: readonly string[];
      }[] => {
        const [first] = own;
        return first === undefined
          ? []
          : [{ at: first[1][0], messageId: first[1][1], fields: own.map(([name]) => name) }];
      },
    )
    .toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1))
    .slice(profile)
    .map((change) => ({
      item: { kind: 'profile', ...change },
      advance: (cursor) => ({ ...cursor, profile: cursor.profile + 1 }),
    }));
}
