import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

type ReceiptRow = {
  readonly id?: string;
  readonly type?: string;
  /** `derived`: an event instead, from which the receipt is derived. */
  readonly outcome: string;
  readonly reason?: string;
  readonly userId?: string;
};

/** Inserts an accepted request with these receipts, as the consumers do. Returns its id. */
export async function insertRequest(
  db: Database,
  applicationId: string,
  {
    receivedAt = new Date(),
    receipts,
    requestId = systemIds.uuid(),
  }: {
    readonly receivedAt?: Date;
    readonly receipts: readonly ReceiptRow[];
    readonly requestId?: string;
  },
): Promise<string> {
  await db.sql.query(
    'insert into ingest_requests (request_id, application_id, received_at, message_count) values ($1, $2, $3, $4)',
    [requestId, applicationId, receivedAt, receipts.length],
  );
  await db.sql.query(
    `insert into receipts (request_id, message_index, application_id, message_id, type, outcome, reason, user_id, received_at)
     select $1, (n - 1)::int, $2, coalesce(r ->> 'id', 'm' || n), coalesce(r ->> 'type', 'action'), r ->> 'outcome', r ->> 'reason', (r ->> 'userId')::uuid, $3
     from jsonb_array_elements($4::jsonb) with ordinality as x(r, n) where r ->> 'outcome' <> 'derived'`,
    [requestId, applicationId, receivedAt, JSON.stringify(receipts)],
  );
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, message_id, type, slug, time, user_id, received_at)
     select $1, (n - 1)::int, $2, coalesce(r ->> 'id', 'm' || n), 'action', 'view', 1, (r ->> 'userId')::uuid, $3
     from jsonb_array_elements($4::jsonb) with ordinality as x(r, n) where r ->> 'outcome' = 'derived'`,
    [requestId, applicationId, receivedAt, JSON.stringify(receipts)],
  );
  return requestId;
}

/** Inserts a rejected request, as the gateway does. Returns its id. */
export async function insertRejection(
  db: Database,
  applicationId: string,
  row: {
    readonly receivedAt?: Date;
    readonly code?: string;
    readonly status?: number;
    readonly requestId?: string;
    readonly address?: string;
    readonly unlisted?: number;
    readonly customUserId?: string;
    readonly serviceUserId?: string;
  } = {},
): Promise<string> {
  const {
    receivedAt = new Date(),
    code = 'validation_failed',
    status = 400,
    requestId = systemIds.uuid(),
    address = null,
    unlisted = 0,
    customUserId = null,
    serviceUserId = null,
  } = row;
  await db.sql.query(
    `insert into refused_requests (request_id, application_id, received_at, path, status, code, key_id, address, errors, unlisted, custom_user_id, service_user_id)
     values ($1, $2, $3, '/', $4, $5, $6, $7, $8::jsonb, $9, $10, $11)`,
    [
      requestId,
      applicationId,
      receivedAt,
      status,
      code,
      systemIds.uuid(),
      address,
      JSON.stringify([{ pointer: '/messages/0/time', code: 'wrong_type' }]),
      unlisted,
      customUserId,
      serviceUserId,
    ],
  );
  return requestId;
}

/** Inserts an event, and its definition if missing. Returns the message id. */
export async function insertEvent(
  db: Database,
  applicationId: string,
  event: {
    readonly slug: string;
    readonly kind?: string;
    readonly userId?: string;
    readonly time?: number;
    readonly receivedAt?: Date;
    readonly requestId?: string;
    readonly id?: string;
  },
): Promise<string> {
  const {
    slug,
    time = 1_760_000_000_000,
    kind = 'action',
    userId = null,
    receivedAt = new Date(),
    requestId = systemIds.uuid(),
    id = systemIds.uuid(),
  } = event;
  await db.sql.query(
    "insert into definitions (application_id, slug, kind, name, origin) values ($1, $2, $3, 'name of ' || $2::text, 'auto') on conflict do nothing",
    [applicationId, slug, kind],
  );
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes)
     values ($1, 0, $2, $3, $4, $5, $6, $8, $7, '{"big": 9007199254740993}')`,
    [requestId, applicationId, userId, id, kind, slug, receivedAt, time],
  );
  return id;
}

/** Inserts a user, registered or not. Returns the id. */
export async function insertUser(
  db: Database,
  applicationId: string,
  user: {
    readonly customUserId?: string;
    readonly isRegistered?: boolean;
    readonly mergedInto?: string;
  } = {},
): Promise<string> {
  const id = systemIds.uuid();
  await db.sql.query(
    'insert into users (id, application_id, custom_user_id, registered_at, merged_into) values ($1, $2, $3, case when $4 then now() end, $5)',
    [
      id,
      applicationId,
      user.customUserId ?? null,
      user.isRegistered ?? false,
      user.mergedInto ?? null,
    ],
  );
  return id;
}

/** Inserts campaigns that are newer than this one and differ from it in their title. */
export async function insertCampaigns(db: Database, like: string, count: number): Promise<void> {
  await db.sql.query(
    `insert into campaigns
     select (jsonb_populate_record(c, jsonb_build_object('id', uuidv7(), 'search_text', 'another'))).*
     from campaigns c, generate_series(1, $2::int)
     where c.id = $1`,
    [like, count],
  );
}

type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

/** Reads all pages of a list. Returns its items and the number of pages. */
export async function readAll<T>(
  readPage: (cursor: string) => Promise<Page<T>>,
): Promise<{ readonly items: readonly T[]; readonly pages: number }> {
  const items: T[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const page: Page<T> = await readPage(cursor);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return { items, pages };
}
