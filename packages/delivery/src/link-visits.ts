import type { Database, Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';

/** Somebody, or something, followed a link of a mail, or showed its picture. */
export type LinkVisit = {
  readonly deliveryId: string;
  /** Whether the request itself said that a machine made it. */
  readonly isMachine: boolean;
} & (
  | { readonly kind: 'open' }
  | { readonly kind: 'click'; readonly url: string; readonly linkCount: number }
);

const PAGE_CHARS_MAX = 500;

/**
 * Notes visits, one of each kind for each link, whatever comes again: a person's after what was taken for a machine's counts.
 * @callers client-api
 */
export async function noteLinkVisits(db: Database, visits: readonly LinkVisit[]): Promise<void> {
  const rows = visits.map((visit) =>
    visit.kind === 'open'
      ? { ...visit, url: null, page: null, linkCount: 0 }
      : { ...visit, page: pageOf(visit.url) },
  );
  const note = () =>
    db.sql.query(
      `insert into link_visits as v (delivery_id, kind, url_hash, is_machine, page, link_count)
     select distinct on (x."deliveryId", x.kind, sha256(convert_to(coalesce(x.url, ''), 'UTF8')), x."isMachine")
            x."deliveryId", x.kind, sha256(convert_to(coalesce(x.url, ''), 'UTF8')), x."isMachine", left(x.page, ${PAGE_CHARS_MAX}), x."linkCount"
     from jsonb_to_recordset($1::jsonb) as x("deliveryId" uuid, kind text, url text, page text, "isMachine" boolean, "linkCount" int)
     order by 1, 2, 3, 4
     on conflict (delivery_id, kind, url_hash, is_machine) do update set at = now(), decided_at = null, was_machine = null
     where v.was_machine and not v.is_machine`,
      [JSON.stringify(rows)],
    );
  // Those that are settled meanwhile are locked in another order.
  await retryConflicts(note);
}

/** Query and fragment may name a person: they are in the link, and kept nowhere. */
function pageOf(url: string): string {
  const { origin = '', pathname = '' } = URL.parse(url) ?? {};
  return `${origin}${pathname}`;
}

/** A visit of which it is known who made it. */
export type DecidedVisit = {
  readonly deliveryId: string;
  readonly kind: 'open' | 'click';
  readonly urlHash: string;
  /** Where the link leads, without query and fragment. */
  readonly page: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly isMachine: boolean;
  /** Whether the request said so itself: a person's visit of the same link is another. */
  readonly isSaid: boolean;
};

/** Visits of one mail that come together so closely are one machine's. */
const BURST_MS = 1_000;
/** No person follows a link so soon after the mail was handed over. */
const SOON_MS = 1_000;
/** Of a mail with more links, this many at once are enough to tell. */
const BURST_LINKS_MAX = 3;
/** Until then others of the same burst may come. */
export const LINK_VISIT_DECISION_MS = 2 * BURST_MS;

/** Visits that can be judged by now, oldest first. They stay undecided until `settleLinkVisits`. */
export async function judgeLinkVisits(db: Database, rowsMax: number): Promise<DecidedVisit[]> {
  const { rows } = await db.sql.query<{
    delivery_id: string;
    kind: 'open' | 'click';
    url_hash: string;
    page: string | null;
    at: Date;
    is_machine: boolean;
    is_said: boolean;
  }>(
    `select v.delivery_id, v.kind, encode(v.url_hash, 'hex') as url_hash, v.page, v.at, v.is_machine as is_said,
            v.is_machine or (v.kind = 'click' and (
              coalesce(v.at < d.sent_at + interval '${SOON_MS} ms', d.state = 'sending')
              or (v.link_count > 1 and (
                select count(distinct o.url_hash) from link_visits o
                where o.delivery_id = v.delivery_id and o.kind = 'click'
                  and o.at between v.at - interval '${BURST_MS} ms' and v.at + interval '${BURST_MS} ms') >= least(v.link_count, ${BURST_LINKS_MAX})))) as is_machine
     from link_visits v left join deliveries d on d.id = v.delivery_id
     where v.decided_at is null and v.at <= now() - interval '${LINK_VISIT_DECISION_MS} ms'
     order by v.at limit $1`,
    [rowsMax],
  );
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    kind: row.kind,
    urlHash: row.url_hash,
    page: row.page,
    at: row.at.getTime(),
    isMachine: row.is_machine,
    isSaid: row.is_said,
  }));
}

/** Notes what was decided of visits, when it is told. @callers client-api */
export async function settleLinkVisits(
  db: Database,
  visits: readonly DecidedVisit[],
): Promise<void> {
  await db.sql.query(
    `update link_visits v set decided_at = now(), was_machine = x."isMachine"
     from jsonb_to_recordset($1::jsonb) as x("deliveryId" uuid, kind text, "urlHash" text, "isMachine" boolean, "isSaid" boolean)
     where v.delivery_id = x."deliveryId" and v.kind = x.kind and v.url_hash = decode(x."urlHash", 'hex') and v.is_machine = x."isSaid" and v.decided_at is null`,
    [JSON.stringify(visits)],
  );
}

/** Forgets visits that were decided so long ago; whatever comes again changes nothing any more. @callers client-api */
export async function forgetLinkVisits(
  db: Database,
  olderThanMs: number,
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await db.sql.query(
    `delete from link_visits where ctid in (select ctid from link_visits where decided_at < now() - $1::float8 * interval '1 ms' limit $2)`,
    [olderThanMs, rowsMax],
  );
  return rowCount ?? 0;
}

/** Forgets the visits of a deleted user's mails. @callers delivery */
export async function forgetVisitsOf(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  await sql.query('delete from link_visits where delivery_id = any($1::uuid[])', [deliveryIds]);
}
