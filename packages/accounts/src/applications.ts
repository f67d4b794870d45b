import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import type { Application as ApplicationRow } from '@tidings/database/client';
import { systemIds } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type Application = {
  readonly applicationId: string;
  readonly name: string;
  readonly settings: ApplicationSettings;
  readonly createdAt: number;
};

/** @callers api */
export async function createApplication(
  db: Database,
  name: string,
  settings: Pick<ApplicationSettings, 'timeZone'> = {},
): Promise<Application> {
  return toApplication(
    await (
      await db.prisma()
    ).application.create({ data: { id: systemIds.uuid(), name, settings } }),
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
  // Raw SQL, not Prisma: workers call this, and a Prisma client costs a process 50 MiB once it is
  // used.
  const { rows } = await db.sql.query<Omit<ApplicationRow, 'allowList'>>(
    statement('read-application'),
    [applicationId],
  );
  return rows[0] === undefined ? null : toApplication(rows[0]);
}

/**
 * Locks the application, so that of two calls that issue a key or a secret the second sees what the
 * first one issued. False when there is no such application.
 * @callers accounts
 */
export async function lockApplicationToIssue(sql: Sql, applicationId: string): Promise<boolean> {
  const { rowCount } = await sql.query(statement('lock-application-to-issue'), [applicationId]);
  return rowCount === 1;
}

/**
 * A settings patch: null removes a setting, and absent settings keep their value, at every depth.
 */
export type SettingsChange = MergePatch<ApplicationSettings>;
type MergePatch<T> = T extends object
  ? { readonly [field in keyof T]?: MergePatch<T[field]> | null }
  : T;

export type ChangedSettings = {
  readonly before: ApplicationSettings;
  readonly after: ApplicationSettings;
};

/**
 * Changes the named fields. Settings are merged as a JSON merge patch (RFC 7396). Null when there
 * is no such application. `updateApplication` in `people` also runs what depends on a changed
 * setting.
 * @callers people
 */
export async function changeApplicationRow(
  sql: Sql,
  applicationId: string,
  change: { readonly name?: string; readonly settings?: SettingsChange },
): Promise<ChangedSettings | null> {
  const { rows } = await sql.query<{ settings: ApplicationSettings }>(
    statement('lock-application-settings'),
    [applicationId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const after = mergePatch(row.settings, change.settings ?? {}) as ApplicationSettings;
  await sql.query(statement('change-application'), [
    applicationId,
    change.name ?? null,
    JSON.stringify(after),
  ]);
  return { before: row.settings, after };
}

/** JSON merge patch, RFC 7396. */
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

/** Addresses and networks that requests of the application may come from. Empty means any. */
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

/** @callers api */
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
