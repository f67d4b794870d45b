import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { readBounded, type Listed, type PageAfter } from '@tidings/postgres/bounded-list';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { stringifyExactJson } from '@tidings/platform';
import { checkMessages, expandContent, isTooLong, TOO_LONG } from './check-content.ts';
import { checkMessage } from './check-message.ts';
import { inBlock, type BlockTexts, type LiquidFault } from '@tidings/liquid/expand-blocks';
import { readNamedBlocks } from './named-blocks.ts';
import { lockTemplates, readTemplate, storeTemplate, type Template } from './templates.ts';

const statement = statementsIn(import.meta.dirname);

/** A text that several templates share. */
export type Block = BlockTexts & {
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Who made the version: a key, a token or a member. */
  readonly updatedBy: string;
  /** Templates that name it. */
  readonly usedBy: readonly string[];
};

export type BlockVersion = BlockTexts & {
  readonly version: number;
  readonly name: string;
  readonly createdAt: number;
  readonly createdBy: string;
};

type Which = { readonly applicationId: string; readonly slug: string };
type ContentRow = { readonly content: string };

function toTexts({ content }: ContentRow): BlockTexts {
  const { html = null, text = null } = JSON.parse(content) as Partial<BlockTexts>;
  return { html, text };
}

type BlockRow = ContentRow & {
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: string;
  readonly used_by: readonly string[];
};

const toBlock = (row: BlockRow): Block => ({
  slug: row.slug,
  name: row.name,
  ...toTexts(row),
  version: row.version,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
  updatedBy: row.updated_by,
  usedBy: row.used_by,
});

/** The blocks of an application, by slug. */
export async function listBlocks(
  sql: Sql,
  applicationId: string,
  page: PageAfter<string>,
): Promise<Listed<Block>> {
  return readBounded<BlockRow, string, Block>(page, {
    read: async (after, limit) => {
      const values = [applicationId, after ?? '', limit];
      return (await sql.query<BlockRow>(statement('list-blocks'), values)).rows;
    },
    cursorOf: ({ slug }) => slug,
    toItem: toBlock,
  });
}

/** A block; null when the application has none with this slug. */
export async function readBlock(sql: Sql, { applicationId, slug }: Which): Promise<Block | null> {
  const { rows } = await sql.query<BlockRow>(statement('read-block'), [applicationId, slug]);
  return rows[0] === undefined ? null : toBlock(rows[0]);
}

type VersionRow = ContentRow & {
  readonly version: number;
  readonly name: string;
  readonly created_at: Date;
  readonly created_by: string;
};

/** Newer than any. */
const VERSION_MAX = 2_147_483_647;

/** The versions of a block, newest first; also of an archived one. */
export async function listBlockVersions(
  sql: Sql,
  { applicationId, slug }: Which,
  page: PageAfter<number>,
): Promise<Listed<BlockVersion>> {
  return readBounded<VersionRow, number, BlockVersion>(page, {
    read: async (after, limit) => {
      const values = [applicationId, slug, after ?? VERSION_MAX, limit];
      return (await sql.query<VersionRow>(statement('list-block-versions'), values)).rows;
    },
    cursorOf: ({ version }) => version,
    toItem: (row) => ({
      version: row.version,
      name: row.name,
      ...toTexts(row),
      createdAt: row.created_at.getTime(),
      createdBy: row.created_by,
    }),
  });
}

/**
 * `moved`: the version is not the expected one, or templates change all the time. `too_many`: the
 * application has the maximum. `too_large`: the templates that name it are too large together.
 */
export type WrittenBlock =
  | { readonly block: Block }
  | { readonly errors: readonly FieldError[] }
  | 'moved'
  | 'too_many'
  | 'too_large';

/** Changes that find other templates each time. */
const TRIES_MAX = 5;

type BlockToWrite = Which &
  Partial<BlockTexts> & {
    readonly name: string;
    readonly expectedVersion?: number;
    readonly by: string;
  };

/**
 * Creates a block, or gives it a new version. Equal content changes nothing. Each template that names
 * it gets a new version with it in the same transaction; a change that breaks one of them changes
 * nothing.
 * @callers api
 */
export async function writeBlock(db: Database, toWrite: BlockToWrite): Promise<WrittenBlock> {
  const errors = await checkAlone(toWrite);
  if (errors.length > 0) return { errors };
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const written = await tryToWrite(db, toWrite);
    if (written !== 'other_templates') return written;
  }
  return 'moved';
}

/** A block is complete: what it opens it closes, and it names no other. */
async function checkAlone({ applicationId, html, text }: BlockToWrite): Promise<FieldError[]> {
  if ((html ?? text ?? null) === null)
    return [{ pointer: '/html', code: 'required', expected: 'html, text or both' }];
  const errors: FieldError[] = [];
  for (const [form, body] of Object.entries({ html, text })) {
    if (typeof body !== 'string') continue;
    // A mail may say all that a block may.
    const message = { body, format: form };
    const check = await checkMessage(applicationId, { channel: 'EMAIL', message, pointer: '' });
    if (!check.ok) errors.push(...check.errors.map((fault) => ({ ...fault, pointer: `/${form}` })));
  }
  return errors;
}

async function tryToWrite(
  db: Database,
  { applicationId, slug, name, html = null, text = null, expectedVersion, by }: BlockToWrite,
): Promise<WrittenBlock | 'other_templates'> {
  const which = { applicationId, slug };
  const changed = await changeTemplates(db.sql, which, { html, text });
  if (changed === 'too_large' || 'errors' in changed) return changed;
  return db.transaction(async (sql): Promise<WrittenBlock | 'other_templates'> => {
    await lockTemplates(sql, applicationId);
    const current = await readBlock(sql, which);
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? 0))
      return 'moved';
    if (current === null && (await countBlocks(sql, applicationId)) >= LIMITS.blocksMax)
      return 'too_many';
    const uses = await listUses(sql, which);
    if (keyOf(uses) !== keyOf(changed.templates)) return 'other_templates';
    await sql.query(statement('write-block'), [
      applicationId,
      slug,
      name,
      JSON.stringify({ ...(html !== null && { html }), ...(text !== null && { text }) }),
      by,
    ]);
    const written = await readBlock(sql, which);
    if (written === null) throw new Error('a block that was written is not found');
    for (const { blocks, ...template } of changed.templates)
      await storeTemplate(sql, {
        ...template,
        applicationId,
        blocks: { ...blocks, [slug]: written.version },
        by,
      });
    return { block: written };
  });
}

type TemplateUse = Pick<Template, 'slug' | 'version'>;
type ChangedTemplate = TemplateUse &
  Omit<Parameters<typeof storeTemplate>[1], 'applicationId' | 'by'>;

/**
 * The templates that name a block, with what it says now in its places. Not in a transaction: large
 * ones wait for a thread.
 */
async function changeTemplates(
  sql: Sql,
  { applicationId, slug }: Which,
  texts: BlockTexts,
): Promise<
  | { readonly templates: readonly ChangedTemplate[] }
  | { readonly errors: readonly FieldError[] }
  | 'too_large'
> {
  const templates: ChangedTemplate[] = [];
  let bytes = 0;
  for (const used of await listUses(sql, { applicationId, slug })) {
    const template = await readTemplate(sql, { applicationId, slug: used.slug });
    if (template === null) continue;
    const { version, name, channel, message, variants } = template;
    const source = { channel, message, variants };
    const others = await readNamedBlocks(sql, applicationId, source);
    const { checks, blocks } = await checkMessages(applicationId, source, {
      ...others,
      [slug]: { ...texts, version: 0 },
    });
    const content = expandContent(source, checks);
    const faults: readonly LiquidFault[] = checks.flatMap((check) =>
      check.ok ? [] : check.errors,
    );
    const all = faults.length === 0 && isTooLong(content) ? [TOO_LONG] : faults;
    if (all.length > 0)
      return { errors: all.map((fault) => inBlock(fault, slug, `the template ${used.slug}`)) };
    bytes += Buffer.byteLength(stringifyExactJson(content));
    if (bytes > LIMITS.blockTemplatesBytesMax) return 'too_large';
    templates.push({ slug: used.slug, version, name, content, source, blocks });
  }
  return { templates };
}

const keyOf = (uses: readonly TemplateUse[]): string =>
  uses.map(({ slug, version }) => `${slug}@${version}`).join();

/** Templates that name a block, by slug. */
async function listUses(sql: Sql, { applicationId, slug }: Which): Promise<TemplateUse[]> {
  const { rows } = await sql.query<{ slug: string; version: number }>(
    statement('list-block-uses'),
    [applicationId, slug],
  );
  return rows;
}

async function countBlocks(sql: Sql, applicationId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(statement('count-blocks'), [applicationId]);
  return rows[0]?.count ?? 0;
}

/**
 * Archives a block. Null when there is none; the slugs of the templates that name it, if some do.
 * @callers api
 */
export function archiveBlock(
  db: Database,
  { applicationId, slug, by }: Which & { readonly by: string },
): Promise<'archived' | readonly string[] | null> {
  return db.transaction(async (sql) => {
    await lockTemplates(sql, applicationId);
    const block = await readBlock(sql, { applicationId, slug });
    if (block === null) return null;
    if (block.usedBy.length > 0) return block.usedBy;
    await sql.query(statement('archive-block'), [applicationId, slug, by]);
    return 'archived';
  });
}
