import { createApiKey } from '@tidings/accounts/api-keys';
import { createApplication } from '@tidings/accounts/applications';
import type { Rate } from '@tidings/contracts/limits';
import { updateApplication } from '@tidings/people/update-application';
import type { Database } from '@tidings/postgres/database';
import type { Target } from '../load/plan.ts';

/** Never reached, but counted: the limiter does its work for every request. */
const FAR_AWAY: Rate = { perSecond: 1_000_000, burst: 2_000_000 };
const BYTES_FAR_AWAY: Rate = { perSecond: 10_000_000_000, burst: 10_000_000_000 };

export type Tenant = { readonly applicationId: string; readonly headers: Target['headers'] };

/**
 * Creates an application with a Server key directly in the database, before a gateway has cached
 * it, so that its rate applies from the first request.
 */
export async function createTenant(
  db: Database,
  { name, rate = FAR_AWAY }: { readonly name: string; readonly rate?: Rate },
): Promise<Tenant> {
  const { applicationId } = await createApplication(db, name);
  await updateApplication(db, applicationId, {
    settings: { rates: { ingest: rate, push: FAR_AWAY, ingestBytes: BYTES_FAR_AWAY } },
  });
  return openTenant(db, applicationId);
}

/** Adds a Server key to an application. */
export async function openTenant(db: Database, applicationId: string): Promise<Tenant> {
  const made = await createApiKey(db, { applicationId, type: 'server', name: 'Bench' });
  if (made === 'too_many') throw new Error('the application has its maximum number of keys');
  return { applicationId, headers: { 'X-Application-Id': applicationId, 'X-API-Key': made.key } };
}
