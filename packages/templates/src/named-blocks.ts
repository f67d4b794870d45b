import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { BlockTexts } from '@tidings/liquid/expand-blocks';

const statement = statementsIn(import.meta.dirname);

/** Blocks by slug, in the versions that are in force. */
export type NamedBlocks = Readonly<Record<string, BlockTexts & { readonly version: number }>>;

/** Finds more than the tags of blocks: what is no tag costs a look at the table. */
const NAMED = /block\s*(?:"([a-z0-9-]{1,64})"|'([a-z0-9-]{1,64})')/g;

/** The blocks that the texts of messages may name. */
export async function readNamedBlocks(
  sql: Sql,
  applicationId: string,
  messages: unknown,
): Promise<NamedBlocks> {
  const slugs = findSlugs(messages);
  if (slugs.size === 0) return {};
  const { rows } = await sql.query<{
    slug: string;
    version: number;
    html: string | null;
    text: string | null;
  }>(statement('read-named-blocks'), [applicationId, [...slugs]]);
  return Object.fromEntries(rows.map(({ slug, ...block }) => [slug, block]));
}

/** Not by recursion: what is too deep is refused later. */
function findSlugs(messages: unknown): ReadonlySet<string> {
  const slugs = new Set<string>();
  const values: unknown[] = [messages];
  while (values.length > 0) {
    const value = values.pop();
    if (typeof value === 'string')
      for (const [, double, single] of value.matchAll(NAMED)) slugs.add(double ?? single ?? '');
    else if (typeof value === 'object' && value !== null)
      for (const child of Object.values(value)) values.push(child);
  }
  return slugs;
}

/** Whether these are the versions in force. */
export async function areInForce(
  sql: Sql,
  applicationId: string,
  versions: Readonly<Record<string, number>>,
): Promise<boolean> {
  const { rows } = await sql.query<{ count: number }>(statement('count-blocks-in-force'), [
    applicationId,
    Object.keys(versions),
    Object.values(versions),
  ]);
  return rows[0]?.count === Object.keys(versions).length;
}
