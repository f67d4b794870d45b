import type { Database, Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A request for a link or the tracking pixel of an e-mail, by a person or a machine. */
export type LinkHit = {
  readonly deliveryId: string;
  /** Whether the request identified itself as a machine's. */
  readonly isMachine: boolean;
} & (
  | { readonly kind: 'open' }
  | { readonly kind: 'click'; readonly url: string; readonly linkCount: number }
);

/**
 * Records hits, once per kind and link. A person's hit after one taken for a machine's still
 * counts.
 * @callers client-api
 */
export async function recordLinkHits(db: Database, hits: readonly LinkHit[]): Promise<void> {
  const rows = hits.map((visit) =>
    visit.kind === 'open'
      ? { ...visit, url: null, page: null, linkCount: 0 }
      : { ...visit, page: pageOf(visit.url) },
  );
  const note = () => db.sql.query(statement('record-link-hits'), [JSON.stringify(rows)]);
  // Settling locks rows in another order.
  await retryConflicts(note);
}

/** Query and fragment may contain personal data and are not stored. */
function pageOf(url: string): string {
  const { origin = '', pathname = '' } = URL.parse(url) ?? {};
  return `${origin}${pathname}`;
}

/** A hit that is classified as a person's or a machine's. */
export type ClassifiedHit = {
  readonly deliveryId: string;
  readonly kind: 'open' | 'click';
  readonly urlHash: string;
  /** Target of the link, without query and fragment. */
  readonly page: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly isMachine: boolean;
  /**
   * Whether the request identified itself as a machine's; a person's hit of the same link is
   * separate.
   */
  readonly isSaid: boolean;
};

/** Hits that can be classified now, oldest first. They stay open until `settleLinkHits`. */
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

/** Stores the classification of hits once it is reported. @callers client-api */
export async function settleLinkHits(
  db: Database,
  visits: readonly ClassifiedHit[],
): Promise<void> {
  await db.sql.query(statement('settle-link-hits'), [JSON.stringify(visits)]);
}

/**
 * Deletes hits classified longer ago than `olderThanMs`; later hits of them change nothing.
 * @callers client-api
 */
export async function purgeLinkHits(
  db: Database,
  olderThanMs: number,
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await db.sql.query(statement('purge-link-hits'), [olderThanMs, rowsMax]);
  return rowCount ?? 0;
}

/** Deletes the hits of a deleted user's e-mails. @callers delivery */
export async function deleteLinkHits(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  await sql.query(statement('delete-link-hits'), [deliveryIds]);
}
