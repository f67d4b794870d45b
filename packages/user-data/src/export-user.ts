import {
  exportAutomations,
  type ExportedAutomations,
} from '@tidings/automation-reports/export-runs';
import type { TriggerEvent } from '@tidings/contracts/automations/trigger-event';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { DeliveryReason, DeliveryState } from '@tidings/contracts/push/deliveries';
import type { DeliveryContext } from '@tidings/delivery/delivery-contexts';
import type { EventRecord } from '@tidings/events/events';
import { listUserEvents } from '@tidings/events/user-events';
import { listUserDevices, type Device } from '@tidings/people/devices/devices';
import { readUser, type UserRecord } from '@tidings/people/users';
import { parseExactJson } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A delivery to the user. */
export type ExportedDelivery = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly channel: Channel;
  readonly status: DeliveryState;
  readonly reason: DeliveryReason | null;
  readonly attempts: number;
  readonly createdAt: number;
  readonly sentAt: number | null;
  /** What was filled into its message; null: nothing is recorded. Integers beyond 2^53 are bigints. */
  readonly values: Readonly<Record<string, unknown>> | null;
  /** The run of an automation that sent it, with the event that began it; null: none, or not kept. */
  readonly run: DeliveryContext | null;
};

/** All data of a user. Events, deliveries and runs are read page by page while the caller iterates. */
export type UserExport = {
  readonly user: UserRecord;
  readonly devices: readonly Device[];
  readonly events: AsyncIterable<EventRecord>;
  readonly deliveries: AsyncIterable<ExportedDelivery>;
  readonly automations: ExportedAutomations;
};

const ROWS_PER_PAGE = 500;

/** The export of a registered user, or null. Integers beyond 2^53 are bigints. */
export async function exportUser(
  db: Database,
  applicationId: string,
  customUserId: string,
): Promise<UserExport | null> {
  const user = await readUser(db, applicationId, customUserId);
  return (
    user && {
      user,
      devices: await listUserDevices(db, user.userId),
      events: eventsOf(db, user.userId),
      deliveries: deliveriesOf(db, applicationId, customUserId),
      automations: await exportAutomations(db.sql, user.userId),
    }
  );
}

/** Newest first, including events of merged anonymous users. */
async function* eventsOf(db: Database, userId: string): AsyncGenerator<EventRecord> {
  let cursor: string | null | undefined;
  do {
    const page: { events: EventRecord[]; nextCursor: string | null } = await listUserEvents(
      db,
      userId,
      { limit: ROWS_PER_PAGE, ...(cursor && { cursor }) },
    );
    yield* page.events;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** Ordered by campaign; each campaign has at most one delivery per user. */
async function* deliveriesOf(
  db: Database,
  applicationId: string,
  customUserId: string,
): AsyncGenerator<ExportedDelivery> {
  let campaignId: string | null = null;
  for (;;) {
    const { rows }: { rows: DeliveryRow[] } = await db.sql.query<DeliveryRow>(
      statement('list-deliveries-to-export'),
      [applicationId, customUserId, campaignId, ROWS_PER_PAGE],
    );
    yield* rows.map(toExported);
    const last = rows.at(-1);
    if (rows.length < ROWS_PER_PAGE || last === undefined) return;
    campaignId = last.campaign_id;
  }
}

type DeliveryRow = {
  readonly id: string;
  readonly campaign_id: string;
  readonly channel: Channel;
  readonly state: DeliveryState;
  readonly reason: DeliveryReason | null;
  readonly attempts: number;
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly filled_in: string | null;
  readonly run_id: string | null;
  readonly entered_at: Date | null;
  readonly event: string | null;
};

function toExported(row: DeliveryRow): ExportedDelivery {
  return {
    deliveryId: row.id,
    campaignId: row.campaign_id,
    channel: row.channel,
    status: row.state,
    reason: row.reason,
    attempts: row.attempts,
    createdAt: row.created_at.getTime(),
    sentAt: row.sent_at?.getTime() ?? null,
    values:
      row.filled_in === null
        ? null
        : (parseExactJson(row.filled_in) as Readonly<Record<string, unknown>>),
    run:
      row.run_id === null
        ? null
        : {
            runId: row.run_id,
            enteredAt: row.entered_at?.getTime() ?? 0,
            event: row.event === null ? null : (parseExactJson(row.event) as TriggerEvent),
          },
  };
}
