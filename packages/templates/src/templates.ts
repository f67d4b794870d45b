import { templatesOf, type AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { TemplateContent } from '@tidings/contracts/push/templates';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import { readBounded, type Listed, type PageAfter } from '@tidings/postgres/bounded-list';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { MessageRetention } from '@tidings/segments/condition-context';
import { lockSegments, readConditionContext } from '@tidings/segments/segments';
import { checkContent, checkMessages, type SubmittedContent } from './check-content.ts';
import { areInForce, readNamedBlocks } from './named-blocks.ts';

const statement = statementsIn(import.meta.dirname);

/** A block of a version of a template. */
export type UsedBlock = { readonly slug: string; readonly version: number };

/** A template as it was written. What is sent of it has its blocks in their places. */
export type Template = TemplateContent & {
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly blocks: readonly UsedBlock[];
  /** Milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Who made the version: a key, a token or a member. */
  readonly updatedBy: string;
};

export type TemplateVersion = TemplateContent & {
  readonly version: number;
  readonly name: string;
  readonly blocks: readonly UsedBlock[];
  readonly createdAt: number;
  readonly createdBy: string;
};

type Which = { readonly applicationId: string; readonly slug: string };
type ContentRow = { readonly channel: Channel; readonly content: string };

function toContent({ channel, content }: ContentRow): TemplateContent {
  const { message, variants } = parseExactJson(content) as Omit<TemplateContent, 'channel'>;
  return { channel, message, variants };
}

type BlockVersions = Readonly<Record<string, number>>;
const toBlocks = (versions: unknown): UsedBlock[] =>
  Object.entries((versions ?? {}) as BlockVersions)
    .map(([slug, version]) => ({ slug, version }))
    .toSorted((a, b) => (a.slug < b.slug ? -1 : 1));

type TemplateRow = ContentRow & {
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly blocks: unknown;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: string;
};

const toTemplate = (row: TemplateRow): Template => ({
  slug: row.slug,
  name: row.name,
  ...toContent(row),
  version: row.version,
  blocks: toBlocks(row.blocks),
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
  updatedBy: row.updated_by,
});

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

/** Saves that find other blocks each time: then others change blocks all the time. */
const TRIES_MAX = 5;

type TemplateToWrite = Which &
  Partial<MessageRetention> &
  SubmittedContent & {
    readonly name: string;
    readonly expectedVersion?: number;
    readonly by: string;
  };

/**
 * Creates a template, or gives it a new version, with the blocks that are in force. Equal content
 * changes nothing. Templates and blocks of an application change one at a time.
 * @callers api
 */
export async function writeTemplate(
  db: Database,
  toWrite: TemplateToWrite,
): Promise<WrittenTemplate> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const written = await tryToWrite(db, toWrite);
    if (written !== 'other_blocks') return written;
  }
  return 'moved';
}

async function tryToWrite(
  db: Database,
  {
    applicationId,
    slug,
    name,
    expectedVersion,
    by,
    deliveryRetentionDays = null,
    ...submitted
  }: TemplateToWrite,
): Promise<WrittenTemplate | 'other_blocks'> {
  const named = await readNamedBlocks(db.sql, applicationId, submitted);
  const messages = await checkMessages(applicationId, submitted, named);
  return db.transaction(async (sql): Promise<WrittenTemplate | 'other_blocks'> => {
    await lockTemplates(sql, applicationId);
    const which = { applicationId, slug };
    const current = await readTemplate(sql, which);
    const seen = expectedVersion ?? current?.version ?? 0;
    if (seen !== (current?.version ?? 0) && !(await isAsSeen(sql, which, seen))) return 'moved';
    if (current === null && (await countTemplates(sql, applicationId)) >= LIMITS.templatesMax)
      return 'too_many';
    // Campaigns and pages name a template for its channel.
    if (current !== null && current.channel !== submitted.channel) return 'other_channel';
    if (!(await areInForce(sql, applicationId, messages.blocks))) return 'other_blocks';
    // None that its conditions name is deleted meanwhile.
    await lockSegments(sql, applicationId);
    const context = await readConditionContext(sql, applicationId, { deliveryRetentionDays });
    const checked = checkContent(messages, context);
    if (!checked.ok) return { errors: checked.errors };
    const { content, source } = checked;
    await storeTemplate(sql, {
      applicationId,
      slug,
      name,
      content,
      source,
      blocks: messages.blocks,
      by,
    });
    const written = await readTemplate(sql, which);
    if (written === null) throw new Error('a template that was written is not found');
    return { template: written, warnings: checked.warnings };
  });
}

/** Until the end of the transaction no other changes templates or blocks of the application. */
export async function lockTemplates(sql: Sql, applicationId: string): Promise<void> {
  await sql.query(statement('lock-templates'), [applicationId]);
}

/** Whether a template says what an earlier version said, apart from its blocks. */
async function isAsSeen(
  sql: Sql,
  { applicationId, slug }: Which,
  version: number,
): Promise<boolean> {
  const { rows } = await sql.query<{ slug: string }>(statement('find-equal-source'), [
    applicationId,
    slug,
    version,
  ]);
  return rows.length > 0;
}

/**
 * Stores a checked template. `source`: what was written, if it names blocks. Equal content changes
 * nothing.
 * @callers templates
 */
export async function storeTemplate(
  sql: Sql,
  {
    applicationId,
    slug,
    name,
    content: { channel, ...content },
    source,
    blocks,
    by,
  }: Which & {
    readonly name: string;
    readonly content: TemplateContent;
    readonly source: TemplateContent | null;
    readonly blocks: BlockVersions;
    readonly by: string;
  },
): Promise<void> {
  const written = source === null ? null : { message: source.message, variants: source.variants };
  await sql.query(statement('write-template'), [
    applicationId,
    slug,
    name,
    channel,
    stringifyExactJson(content),
    by,
    written === null ? null : stringifyExactJson(written),
    JSON.stringify(blocks),
  ]);
}

async function countTemplates(sql: Sql, applicationId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(statement('count-templates'), [
    applicationId,
  ]);
  return rows[0]?.count ?? 0;
}

type VersionRow = ContentRow & {
  readonly version: number;
  readonly blocks: unknown;
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
      blocks: toBlocks(row.blocks),
      createdAt: row.created_at.getTime(),
      createdBy: row.created_by,
    }),
  });
}

/**
 * Archives a template. Null when there is none; the slugs of the automations that send it, if some do.
 * @callers api
 */
export function archiveTemplate(
  db: Database,
  { applicationId, slug, by }: Which & { readonly by: string },
): Promise<'archived' | readonly string[] | null> {
  return db.transaction(async (sql) => {
    // A change of a block would bring it back, and an activation reads it under this lock.
    await lockTemplates(sql, applicationId);
    const automations = await listSenders(sql, applicationId, slug);
    if (automations.length > 0) return automations;
    const { rows } = await sql.query<{ slug: string }>(statement('archive-template'), [
      applicationId,
      slug,
      by,
    ]);
    return rows.length > 0 ? 'archived' : null;
  });
}

/** Automations whose draft, or a version that people enter or are in, sends a template. */
async function listSenders(sql: Sql, applicationId: string, slug: string): Promise<string[]> {
  const { rows } = await sql.query<{ slug: string; definition: unknown }>(
    statement('read-automations-with-templates'),
    [applicationId],
  );
  const senders = rows.filter(({ definition }) =>
    templatesOf(definition as AutomationDefinition).includes(slug),
  );
  return [...new Set(senders.map((row) => row.slug))];
}

/** A template as a push names it. `version` null: the current one. */
export type TemplateName = { readonly slug: string; readonly version: number | null };

/** Versions of templates as they are sent, in the given order; null where there is none. */
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
