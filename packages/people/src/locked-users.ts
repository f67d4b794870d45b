import { parseExactJson, storedMailboxKey, stringifyExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { readIngestSettings, type IngestSettings } from './application-settings.ts';
import { toE164 } from './e164.ts';
import type { Profile } from './profile-merge.ts';

const statement = statementsIn(import.meta.dirname);

const LOCK_USERS = definePreparedByKeys(statement('lock-users'));
const WRITE_PROFILES = definePreparedByKeys(statement('write-profiles'));

export type LockedUsers = {
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly applicationOf: (userId: string) => string;
  /** The settings of the user's application. */
  readonly settingsOf: (userId: string) => IngestSettings;
  readonly registered: ReadonlySet<string>;
  /** The person of each merged anonymous user. */
  readonly mergedInto: ReadonlyMap<string, string>;
};

/**
 * Locks users and the persons they were merged into, in the order of ids, so that transactions
 * cannot deadlock. A second step is needed only for a person that a user was merged into during the
 * wait; persons never merge.
 */
export async function lockUsers(sql: Sql, ids: readonly string[]): Promise<LockedUsers> {
  const profiles = new Map<string, Profile>();
  const applicationIds = new Map<string, string>();
  const mergedInto = new Map<string, string>();
  const registered = new Set<string>();
  let wanted: readonly string[] = [...new Set(ids)];
  while (wanted.length > 0) {
    const { rows } = await sql.query<UserRow>(LOCK_USERS, [wanted]);
    for (const row of rows) {
      profiles.set(row.id, toProfile(row));
      applicationIds.set(row.id, row.application_id);
      if (row.is_registered) registered.add(row.id);
      if (row.merged_into !== null) mergedInto.set(row.id, row.merged_into);
    }
    wanted = [...new Set(mergedInto.values())].filter((id) => !profiles.has(id));
  }
  const settings = await readIngestSettings(sql, applicationIds.values());
  const applicationOf = (userId: string): string => {
    const applicationId = applicationIds.get(userId);
    if (applicationId === undefined) throw new Error('the user is not locked');
    return applicationId;
  };
  return {
    profiles,
    mergedInto,
    registered,
    applicationOf,
    settingsOf: (userId) => settings(applicationOf(userId)),
  };
}

type UserRow = {
  readonly id: string;
  readonly application_id: string;
  readonly merged_into: string | null;
  readonly is_registered: boolean;
  readonly fields: string;
  readonly custom_attributes: string;
  readonly clocks: string;
};

function toProfile(row: UserRow): Profile {
  const clocks = parseExactJson(row.clocks) as Partial<Profile['clocks']>;
  return {
    fields: parseExactJson(row.fields) as Record<string, unknown>,
    customAttributes: parseExactJson(row.custom_attributes) as Record<string, unknown>,
    clocks: { ...clocks, fields: clocks.fields ?? {}, custom: clocks.custom ?? {} },
  };
}

/** The new profile of a locked user. `registeredAt` has no effect on a registered user. */
export type ProfileRow = {
  readonly id: string;
  readonly profile: Profile;
  readonly registeredAt: number | null;
};

/**
 * Writes the profiles of locked users, one row each, with the normalised phone number and the
 * key of the mailbox.
 * @callers people
 */
export async function writeProfiles(
  sql: Sql,
  { settingsOf }: Pick<LockedUsers, 'settingsOf'>,
  rows: readonly ProfileRow[],
): Promise<void> {
  await sql.query(WRITE_PROFILES, [
    stringifyExactJson(
      rows.map(({ id, profile, registeredAt }) => ({
        id,
        ...profile,
        phoneE164: toE164(profile.fields['phoneNumber'], settingsOf(id).defaultCountry),
        mailboxKey: storedMailboxKey(profile.fields['email']),
        registeredAt,
      })),
    ),
  ]);
}
