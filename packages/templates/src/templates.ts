import type { Channel } from '@tidings/contracts/channels/channels';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { TemplateContent } from '@tidings/contracts/push/templates';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { MessageRetention } from '@tidings/segments/condition-context';
import { lockSegments, readConditionContext } from '@tidings/segments/segments';
import { checkContent, checkMessages, type SubmittedContent } from './check-content.ts';

const statement = statementsIn(import.meta.dirname);

export type Template = TemplateContent & {
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Who made the version: a key, a token or a member. */
  readonly updatedBy: string;
};

export type TemplateVersion = TemplateContent & {
  readonly version: number;
  readonly name: string;
  readonly createdAt: number;
  readonly createdBy: string;
};

type Which = { readonly applicationId: string; readonly slug: string };
type ContentRow = { readonly channel: Channel; readonly content: string };

function toContent({ channel, content }: ContentRow): TemplateContent {
  const { message, variants } = parseExactJson(content) as Omit<TemplateContent, 'channel'>;
  return { channel, message, variants };
}

type TemplateRow = ContentRow & {
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: string;
};

const toTemplate = (row: TemplateRow): Template => ({
  slug: row.slug,
  name: row.name,
  ...toContent(row),
  version: row.version,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
  updatedBy: row.updated_by,
});

/** The next items after a cursor. A page ends early when its contents are large. */
export type PageAfter<Cursor> = { readonly after: Cursor | null; readonly limit: number };
export type Listed<Item> = { readonly items: readonly Item[]; readonly hasMore: boolean };

/** The templates of an application, by slug. */
export async function listTemplates(
  sql: Sql,
  applicationId: string,
  page: PageAfter<string>,
): Promise<Listed<Template>> {
  return readBounded<TemplateRow, string, Template>(page, {
    read: async (after, limit) => {
      const values = [applicationId, after ?? '', limit];
      return (await sql.query<TemplateRow>(statement('read-templates'), values)).rows;
    },
    cursorOf: ({ slug }) => slug,
    toItem: toTemplate,
  });
}

/** A template; null when the application has none with this slug. */
export async function readTemplate(
  sql: Sql,
  { applicationId, slug }: Which,
): Promise<Template | null> {
  const { rows } = await sql.query<TemplateRow>(statement('read-template'), [applicationId, slug]);
  return rows[0] === undefined ? null : toTemplate(rows[0]);
}

/** Contents have up to 1 MiB: a page of many would exceed the memory of a process. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;
const ROWS_PER_READ = 8;

/** Reads a few rows at a time, until the page is full. A page has at least one item. */
async function readBounded<Row extends ContentRow, Cursor, Item>(
  { after, limit }: PageAfter<Cursor>,
  {
    read,
    cursorOf,
    toItem,
  }: {
    read(after: Cursor | null, limit: number): Promise<readonly Row[]>;
    cursorOf(row: Row): Cursor;
    toItem(row: Row): Item;
  },
): Promise<Listed<Item>> {
  const items: Item[] = [];
  let bytes = 0;
  for (let from = after; ;) {
    const rows = await read(from, ROWS_PER_READ);
    for (const row of rows) {
      bytes += Buffer.byteLength(row.content);
      if (items.length === limit || (items.length > 0 && bytes > PAGE_BYTES_MAX))
        return { items, hasMore: true };
      items.push(toItem(row));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_READ) return { items, hasMore: false };
    from = cursorOf(last);
  }
}

/**
 * `moved`: the version is not the expected one. `too_many`: the application has the maximum.
 * `other_channel`: the template is of another channel.
 */
export type WrittenTemplate =
  | { readonly template: Template; readonly warnings: readonly Warning[] }
  | { readonly errors: readonly FieldError[] }
  | 'moved'
  | 'too_many'
  | 'other_channel';

/**
 * Creates a template, or gives it a new version. Equal content changes nothing. Templates of an
 * application change one at a time.
 * @callers api
 */
export async function writeTemplate(
  db: Database,
  {
    applicationId,
    slug,
    name,
    expectedVersion,
    by,
    deliveryRetentionDays = null,
    ...submitted
  }: Which &
    Partial<MessageRetention> &
    SubmittedContent & {
      readonly name: string;
      readonly expectedVersion?: number;
      readonly by: string;
    },
): Promise<WrittenTemplate> {
  const messages = await checkMessages(applicationId, submitted);
  return db.transaction(async (sql): Promise<WrittenTemplate> => {
    await sql.query(statement('lock-templates'), [applicationId]);
    const current = await readTemplate(sql, { applicationId, slug });
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? 0))
      return 'moved';
    if (current === null && (await countTemplates(sql, applicationId)) >= LIMITS.templatesMax)
      return 'too_many';
    // Campaigns and pages name a template for its channel.
    if (current !== null && current.channel !== submitted.channel) return 'other_channel';
    // None that its conditions name is deleted meanwhile.
    await lockSegments(sql, applicationId);
    const context = await readConditionContext(sql, applicationId, { deliveryRetentionDays });
    const checked = checkContent(messages, context);
    if (!checked.ok) return { errors: checked.errors };
    const { channel, ...content } = checked.content;
    await sql.query(statement('write-template'), [
      applicationId,
      slug,
      name,
      channel,
      stringifyExactJson(content),
      by,
    ]);
    const written = await readTemplate(sql, { applicationId, slug });
    if (written === null) throw new Error('a template that was written is not found');
    return { template: written, warnings: checked.warnings };
  });
}

async function countTemplates(sql: Sql, applicationId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(statement('count-templates'), [
    applicationId,
  ]);
  return rows[0]?.count ?? 0;
}

type VersionRow = ContentRow & {
  readonly version: number;
  readonly name: string;
  readonly created_at: Date;
  readonly created_by: string;
};

/** Newer than any. */
const VERSION_MAX = 2_147_483_647;

/** The versions of a template, newest first; also of an archived one. */
export async function listTemplateVersions(
  sql: Sql,
  { applicationId, slug }: Which,
  page: PageAfter<number>,
): Promise<Listed<TemplateVersion>> {
  return readBounded<VersionRow, number, TemplateVersion>(page, {
    read: async (after, limit) => {
      const values = [applicationId, slug, after ?? VERSION_MAX, limit];
      return (await sql.query<VersionRow>(statement('list-template-versions'), values)).rows;
    },
    cursorOf: ({ version }) => version,
    toItem: (row) => ({
      version: row.version,
      name: row.name,
      ...toContent(row),
      createdAt: row.created_at.getTime(),
      createdBy: row.created_by,
    }),
  });
}

/** Archives a template. False when there is none. @callers api */
export async function archiveTemplate(
  db: Database,
  { applicationId, slug, by }: Which & { readonly by: string },
): Promise<boolean> {
  const { rows } = await db.sql.query<{ slug: string }>(statement('archive-template'), [
    applicationId,
    slug,
    by,
  ]);
  return rows.length > 0;
}

/** A template as a push names it. `version` null: the current one. */
export type TemplateName = { readonly slug: string; readonly version: number | null };

/** Versions of templates, in the given order; null where there is none. */
export async function readTemplateVersions(
  sql: Sql,
  applicationId: string,
  names: readonly TemplateName[],
): Promise<(({ readonly version: number } & TemplateContent) | null)[]> {
  const { rows } = await sql.query<ContentRow & { no: number; version: number }>(
    statement('read-template-versions'),
    [applicationId, names.map(({ slug }) => slug), names.map(({ version }) => version)],
  );
  const found = new Map(
    rows.map((row) => [row.no - 1, { version: row.version, ...toContent(row) }]),
  );
  return names.map((_name, index) => found.get(index) ?? null);
}
