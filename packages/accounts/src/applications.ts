import type {
  Channel,
  FrequencyCap,
  QuietHours,
  Rate,
  RateName,
  UserTokenRule,
  WithDefault,
} from '@tidings/contracts';
import type { Application as ApplicationRow } from '@tidings/database/client';
import { systemIds } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';

/** Settings of an application that the operator may change; absent ones have the default named here. */
export type ApplicationSettings = {
  /** Subject of an e-mail without a title. */
  readonly defaultSubject?: string;
  /** Whether e-mails tell when they are opened and their links followed (default true). */
  readonly tracking?: boolean;
  /** Send through a channel whose test send never succeeded (default false). */
  readonly sendUntested?: boolean;
  /** ISO 3166-1 alpha-2 country of phone numbers that come without one (default: none, such numbers have no E.164 form). */
  readonly defaultCountry?: string;
  /** The second duplicate rule also for users that a message names by customUserId alone (default false). */
  readonly dedupeResolvedUsers?: boolean;
  /** Client keys may change profiles and contacts of all users without a proof (default false). */
  readonly clientKeysChangeContacts?: boolean;
  /** A new customName that a Client key sends makes a definition (default true). */
  readonly clientKeysDefineEvents?: boolean;
  /** Client keys may call from any address, whatever the allow-list says (default false). */
  readonly allowListExemptsClientKeys?: boolean;
  /** Rates of this application's requests; what is absent is the operator's default, 0 is no limit. */
  readonly rates?: { readonly [name in RateName]?: Rate };
  /** IANA name of the time zone that days are counted in, and quiet hours of users whose own is not known (default UTC). */
  readonly timeZone?: string;
  /** When nobody gets marketing, by channel (default: never). */
  readonly quietHours?: WithDefault<QuietHours>;
  /** How much marketing a user gets, by channel (default: no limit). */
  readonly frequencyCaps?: WithDefault<FrequencyCap>;
  /** Messages handed over on one day, of SMS segments; 0 and absent: no limit. */
  readonly dailyCaps?: { readonly [channel in Channel]?: number };
  /** Whether a send whose outcome is unknown is made again (default: where a repeat does no harm). */
  readonly resendOnUnknown?: { readonly [channel in Channel]?: boolean };
  /** Whether devices may name a customUserId without a user token (default: they may not). */
  readonly userTokens?: UserTokenRule;
  /** Days that events are kept (default: as long as the operator keeps them). */
  readonly eventRetentionDays?: number;
};

export type Application = {
  readonly applicationId: string;
  readonly name: string;
  readonly settings: ApplicationSettings;
  readonly createdAt: number;
};

/** @callers dashboard */
export async function createApplication(db: Database, name: string): Promise<Application> {
  return toApplication(
    await (await db.prisma()).application.create({ data: { id: systemIds.uuid(), name } }),
  );
}

export async function listApplications(db: Database): Promise<Application[]> {
  return (await (await db.prisma()).application.findMany({ orderBy: { id: 'asc' } })).map(
    toApplication,
  );
}

export async function getApplication(
  db: Database,
  applicationId: string,
): Promise<Application | null> {
  // Workers read this, and Prisma, once it is asked for anything, takes 50 MiB of its process.
  const { rows } = await db.sql.query<Omit<ApplicationRow, 'allowList'>>(
    'select id, name, settings, created_at as "createdAt" from applications where id = $1',
    [applicationId],
  );
  return rows[0] === undefined ? null : toApplication(rows[0]);
}

/** Settings as a change names them: null removes one, and what is not named stays, at every depth. */
export type SettingsChange = MergePatch<ApplicationSettings>;
type MergePatch<T> = T extends object
  ? { readonly [field in keyof T]?: MergePatch<T[field]> | null }
  : T;

export type ChangedSettings = {
  readonly before: ApplicationSettings;
  readonly after: ApplicationSettings;
};

/**
 * Changes the named fields; settings are merged as a JSON merge patch (RFC 7396). Null when there is no such application.
 * What follows from a setting is with `updateApplication` in `people`. @callers people
 */
export async function changeApplicationRow(
  sql: Sql,
  applicationId: string,
  change: { readonly name?: string; readonly settings?: SettingsChange },
): Promise<ChangedSettings | null> {
  const { rows } = await sql.query<{ settings: ApplicationSettings }>(
    'select settings from applications where id = $1 for no key update',
    [applicationId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const after = mergePatch(row.settings, change.settings ?? {}) as ApplicationSettings;
  await sql.query(
    'update applications set name = coalesce($2, name), settings = $3::jsonb where id = $1',
    [applicationId, change.name ?? null, JSON.stringify(after)],
  );
  return { before: row.settings, after };
}

/** RFC 7396. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = { ...(isObject(target) && target) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Addresses and networks that an application's requests may come from; none: any. */
export async function readAllowList(
  db: Database,
  applicationId: string,
): Promise<readonly string[]> {
  return (
    await (
      await db.prisma()
    ).application.findUniqueOrThrow({ where: { id: applicationId }, select: { allowList: true } })
  ).allowList;
}

/** @callers dashboard */
export async function writeAllowList(
  db: Database,
  applicationId: string,
  entries: readonly string[],
): Promise<void> {
  await (
    await db.prisma()
  ).application.update({ where: { id: applicationId }, data: { allowList: [...entries] } });
}

function toApplication(row: Omit<ApplicationRow, 'allowList'>): Application {
  return {
    applicationId: row.id,
    name: row.name,
    settings: row.settings as ApplicationSettings,
    createdAt: row.createdAt.getTime(),
  };
}
