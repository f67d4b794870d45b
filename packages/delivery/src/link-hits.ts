import type { Database, Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Somebody, or something, followed a link of a mail, or showed its picture. */
export type LinkHit = {
  readonly deliveryId: string;
  /** Whether the request itself said that a machine made it. */
  readonly isMachine: boolean;
} & (
  | { readonly kind: 'open' }
  | { readonly kind: 'click'; readonly url: string; readonly linkCount: number }
);

/**
 * Notes visits, one of each kind for each link, whatever comes again: a person's after what was taken for a machine's counts.
 * @callers client-api
 */
export async function recordLinkHits(db: Database, hits: readonly LinkHit[]): Promise<void> {
  const rows = hits.map((visit) =>
    visit.kind === 'open'
      ? { ...visit, url: null, page: null, linkCount: 0 }
      : { ...visit, page: pageOf(visit.url) },
  );
  const note = () => db.sql.query(statement('record-link-hits'), [JSON.stringify(rows)]);
  // Those that are settled meanwhile are locked in another order.
  await retryConflicts(note);
}

/** Query and fragment may name a person: they are in the link, and kept nowhere. */
function pageOf(url: string): string {
  const { origin = '', pathname = '' } = URL.parse(url) ?? {};
  return `${origin}${pathname}`;
}

/** A visit of which it is known who made it. */
export type ClassifiedHit = {
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

/** Visits that can be judged by now, oldest first. They stay undecided until `settleLinkHits`. */
export async function readClassifiedHits(db: Database, rowsMax: number): Promise<ClassifiedHit[]> {
  const { rows } = await db.sql.query<{
    delivery_id: string;
    kind: 'open' | 'click';
    url_hash: string;
    page: string | null;
    at: Date;
    is_machine: boolean;
    is_said: boolean;
  }>(statement('classify-link-hits'), [rowsMax]);
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
export async function settleLinkHits(
  db: Database,
  visits: readonly ClassifiedHit[],
): Promise<void> {
  await db.sql.query(statement('settle-link-hits'), [JSON.stringify(visits)]);
}

/** Forgets visits that were decided so long ago; whatever comes again changes nothing any more. @callers client-api */
export async function purgeLinkHits(
  db: Database,
  olderThanMs: number,
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await db.sql.query(statement('purge-link-hits'), [olderThanMs, rowsMax]);
  return rowCount ?? 0;
}

/** Forgets the visits of a deleted user's mails. @callers delivery */
export async function deleteHitsOf(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  await sql.query(statement('delete-hits-of'), [deliveryIds]);
}
