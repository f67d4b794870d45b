import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { onDatabase } from './empty-database.ts';

/** A schema object. Objects with equal kind, name and shape are equal. */
export type CatalogEntry = { readonly kind: string; readonly name: string; readonly shape: string };

const CATALOG = readFileSync(new URL('catalog.sql', import.meta.url), 'utf8');
/**
 * Names and bounds of partitions, and names of their indexes, depend on the creation date of the
 * database.
 */
const OF_PARTITION = /^(ingest_requests|receipts|events)_(before|\d{8})(_|\b)/;

export function readCatalog(url: string): Promise<CatalogEntry[]> {
  return onDatabase(url, async (client) => {
    await client.query("set timezone = 'UTC'");
    return (await client.query<CatalogEntry>(CATALOG)).rows;
  });
}

/**
 * The number of objects of each kind, without partitions, and a digest of their names and shapes.
 */
export function digestCatalog(catalog: readonly CatalogEntry[]): Record<string, string> {
  const lasting = catalog
    .filter(({ name }) => !OF_PARTITION.test(name))
    .toSorted((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1));
  return Object.fromEntries(
    Object.entries(Object.groupBy(lasting, ({ kind }) => kind)).map(([kind, things = []]) => [
      kind,
      `${things.length} ${createHash('sha256').update(JSON.stringify(things)).digest('hex').slice(0, 16)}`,
    ]),
  );
}
