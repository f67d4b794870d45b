import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { DraftContent } from './drafts.ts';

const statement = statementsIn(import.meta.dirname);

/** What has a meaning in a regular expression. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
/** A shorter text is no address, and may be part of any word. */
const ADDRESS_CHARS_MIN = 5;

type DeletedPerson = {
  readonly applicationId: string;
  readonly customUserId: string;
  readonly addresses: readonly string[];
};

/**
 * Removes a deleted user from the drafts of the application: the id from their recipients, the
 * addresses from every text. Such a draft gets a new version, so that a page which has it open does
 * not write the user back. One draft at a time. @callers user-data
 */
export async function forgetPersonInDrafts(
  db: Pick<Database, 'sql' | 'transaction'>,
  { applicationId, customUserId, addresses }: DeletedPerson,
): Promise<void> {
  const known = addresses
    .map((address) => address.trim())
    .filter((address) => address.length >= ADDRESS_CHARS_MIN);
  const { rows } = await db.sql.query<{ id: string }>(statement('find-drafts-of-person'), [
    applicationId,
    customUserId,
    known,
  ]);
  const clean = cleaner(customUserId, known);
  for (const { id } of rows)
    await db.transaction(async (sql) => {
      const { rows: locked } = await sql.query<{ content: string }>(
        statement('lock-draft-to-forget'),
        [id],
      );
      const [draft] = locked;
      if (draft === undefined) return;
      const content = stringifyExactJson(clean(parseExactJson(draft.content) as DraftContent));
      if (content !== stringifyExactJson(parseExactJson(draft.content)))
        await sql.query(statement('write-forgetting-draft'), [id, content]);
    });
}

function cleaner(
  customUserId: string,
  addresses: readonly string[],
): (content: DraftContent) => DraftContent {
  const pattern =
    addresses.length === 0
      ? null
      : new RegExp(
          addresses
            .toSorted((a, b) => b.length - a.length)
            .map((address) => address.replaceAll(SYNTAX, String.raw`\$&`))
            .join('|'),
          'giu',
        );
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return pattern === null ? value : value.replace(pattern, '');
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [clean(key) as string, clean(item)]),
    );
  };
  return ({ recipients, ...content }) => ({
    ...(clean(content) as DraftContent),
    ...(recipients !== undefined && { recipients: withoutPerson(recipients) }),
  });

  function withoutPerson(recipients: unknown): unknown {
    if (!Array.isArray(recipients)) return clean(recipients);
    return recipients
      .filter((recipient) => recipient !== customUserId)
      .map((recipient) => [recipient, clean(recipient)] as const)
      .filter(([before, after]) => after !== '' || before === '')
      .map(([, after]) => after);
  }
}
