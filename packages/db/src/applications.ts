import { systemIds } from '@tidings/platform';
import type { Application as ApplicationRow } from './generated/client.ts';
import type { Database } from './database.ts';

/** Settings of an application that the operator may change; absent ones have the default named here. */
export type ApplicationSettings = {
  /** Subject of an e-mail without a title. */
  readonly defaultSubject?: string;
  /** Send through a channel whose test send never succeeded (default false). */
  readonly sendUntested?: boolean;
};

export type Application = {
  readonly applicationId: string;
  readonly name: string;
  readonly settings: ApplicationSettings;
  readonly createdAt: number;
};

/** @callers dashboard */
export async function createApplication(db: Database, name: string): Promise<Application> {
  return toApplication(await db.prisma.application.create({ data: { id: systemIds.uuid(), name } }));
}

export async function listApplications(db: Database): Promise<Application[]> {
  return (await db.prisma.application.findMany({ orderBy: { id: 'asc' } })).map(toApplication);
}

export async function getApplication(db: Database, applicationId: string): Promise<Application | null> {
  const row = await db.prisma.application.findUnique({ where: { id: applicationId } });
  return row && toApplication(row);
}

/** Changes the named fields; settings merge per key. Null when there is no such application. @callers dashboard */
export async function updateApplication(
  db: Database,
  applicationId: string,
  change: { readonly name?: string; readonly settings?: ApplicationSettings },
): Promise<Application | null> {
  await db.sql.query('update applications set name = coalesce($2, name), settings = settings || $3::jsonb where id = $1', [
    applicationId,
    change.name ?? null,
    JSON.stringify(change.settings ?? {}),
  ]);
  return getApplication(db, applicationId);
}

function toApplication(row: ApplicationRow): Application {
  return { applicationId: row.id, name: row.name, settings: row.settings as ApplicationSettings, createdAt: row.createdAt.getTime() };
}
