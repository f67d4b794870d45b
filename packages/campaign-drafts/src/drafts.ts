import { LIMITS } from '@tidings/contracts/limits';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A push that may lack anything. Integers beyond 2^53 are bigints. */
export type DraftContent = Readonly<Record<string, unknown>>;

/** How often a draft was changed, and by whom: a key, a token or a member. Times in milliseconds. */
type DraftState = {
  readonly draftId: string;
  /** Counts changes, from 1. */
  readonly version: number;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

export type Draft = DraftState & { readonly content: DraftContent };

/** What a list shows of a draft; null where it has none yet. */
export type ListedDraft = DraftState & {
  readonly name: string | null;
  readonly tags: readonly string[];
  readonly channel: string | null;
  /** The beginning of its title, or of its text without one. */
  readonly title: string | null;
  readonly segment: string | null;
  /** How many it lists. */
  readonly recipients: number | null;
};

type Which = { readonly applicationId: string; readonly draftId: string };

type StateRow = {
  readonly id: string;
  readonly version: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  readonly updated_by: string;
};
type DraftRow = StateRow & { readonly content: string };

const toState = (row: StateRow): DraftState => ({
  draftId: row.id,
  version: row.version,
  createdAt: row.created_at.getTime(),
  createdBy: row.created_by,
  updatedAt: row.updated_at.getTime(),
  updatedBy: row.updated_by,
});
const toDraft = (row: DraftRow): Draft => ({
  ...toState(row),
  content: parseExactJson(row.content) as DraftContent,
});

/** The drafts of an application, the last changed first. */
export async function listDrafts(
  { sql }: Pick<Database, 'sql'>,
  applicationId: string,
): Promise<ListedDraft[]> {
  const { rows } = await sql.query<
    StateRow & {
      name: string | null;
      tags: readonly unknown[];
      channel: string | null;
      title: string | null;
      segment: string | null;
      recipients: number | null;
    }
  >(statement('list-drafts'), [applicationId, LIMITS.campaignNameCharsMax]);
  return rows.map(({ name, tags, channel, title, segment, recipients, ...row }) => ({
    ...toState(row),
    name,
    tags: tags.filter((tag) => typeof tag === 'string').slice(0, LIMITS.campaignTagsMax),
    channel,
    title,
    segment,
    recipients,
  }));
}

/** A draft; null when the application has none with this id. */
export async function readDraft(
  { sql }: Pick<Database, 'sql'>,
  { applicationId, draftId }: Which,
): Promise<Draft | null> {
  const { rows } = await sql.query<DraftRow>(statement('read-draft'), [draftId, applicationId]);
  return rows[0] === undefined ? null : toDraft(rows[0]);
}

/** How many of the oldest drafts the refusal of a further one names. */
const OLDEST_NAMED = 3;

/** `oldest`: the application has the maximum, of which these were changed longest ago. */
export type CreatedDraft =
  | { readonly draft: Draft }
  | { readonly oldest: readonly Pick<Draft, 'draftId' | 'updatedAt'>[] };

/** Creates a draft. Those of an application are created one at a time. @callers api */
export function createDraft(
  db: Database,
  {
    applicationId,
    draftId,
    content,
    by,
  }: Which & { readonly content: DraftContent; readonly by: string },
): Promise<CreatedDraft> {
  return db.transaction(async (sql): Promise<CreatedDraft> => {
    await sql.query(statement('lock-drafts'), [applicationId]);
    const { rows: counted } = await sql.query<{ count: number }>(statement('count-drafts'), [
      applicationId,
    ]);
    if ((counted[0]?.count ?? 0) >= LIMITS.draftsMax)
      return { oldest: await findOldest(sql, applicationId) };
    const { rows } = await sql.query<DraftRow>(statement('create-draft'), [
      draftId,
      applicationId,
      stringifyExactJson(content),
      by,
    ]);
    const [row] = rows;
    if (row === undefined) throw new Error('a draft that was created is not returned');
    return { draft: toDraft(row) };
  });
}

async function findOldest(
  sql: Sql,
  applicationId: string,
): Promise<readonly Pick<Draft, 'draftId' | 'updatedAt'>[]> {
  const { rows } = await sql.query<{ id: string; updated_at: Date }>(statement('oldest-drafts'), [
    applicationId,
    OLDEST_NAMED,
  ]);
  return rows.map((row) => ({ draftId: row.id, updatedAt: row.updated_at.getTime() }));
}

/** `isMoved`: the draft has another version by now, and stays as it is. */
export type WrittenDraft = { readonly draft: Draft; readonly isMoved: boolean };

/**
 * Replaces the content if the draft has the expected version; null when there is none. Equal
 * content changes nothing, with any version: so a repeated request is no conflict. @callers api
 */
export async function writeDraft(
  { sql }: Pick<Database, 'sql'>,
  {
    applicationId,
    draftId,
    content,
    expectedVersion,
    by,
  }: Which & {
    readonly content: DraftContent;
    readonly expectedVersion: number;
    readonly by: string;
  },
): Promise<WrittenDraft | null> {
  const text = stringifyExactJson(content);
  const { rows } = await sql.query<DraftRow>(statement('write-draft'), [
    draftId,
    applicationId,
    expectedVersion,
    text,
    by,
  ]);
  if (rows[0] !== undefined) return { draft: toDraft(rows[0]), isMoved: false };
  const draft = await readDraft({ sql }, { applicationId, draftId });
  if (draft === null) return null;
  const { rows: compared } = await sql.query<{ is_equal: boolean }>(statement('is-draft-equal'), [
    draftId,
    applicationId,
    text,
  ]);
  return { draft, isMoved: compared[0]?.is_equal !== true };
}

/** False when there is none. @callers api */
export async function deleteDraft(
  { sql }: Pick<Database, 'sql'>,
  { applicationId, draftId }: Which,
): Promise<boolean> {
  const { rowCount } = await sql.query(statement('delete-draft'), [draftId, applicationId]);
  return rowCount === 1;
}

/**
 * Deletes a draft that becomes a campaign, in the transaction that stores the campaign. False when
 * it is gone, or has another version. @callers campaign-intake
 */
export async function takeDraft(
  sql: Sql,
  { applicationId, draftId, version }: Which & { readonly version: number },
): Promise<boolean> {
  const { rowCount } = await sql.query(statement('take-draft'), [draftId, applicationId, version]);
  return rowCount === 1;
}

/** Deletes up to `limit` drafts that were not changed for so long. Returns how many. @callers scheduler */
export async function purgeDrafts(
  { sql }: Pick<Database, 'sql'>,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  const { rowCount } = await sql.query(statement('purge-drafts'), [days, limit]);
  return rowCount ?? 0;
}
