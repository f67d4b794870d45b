import {
  LIMITS,
  WEBHOOK_ROTATION_HOURS,
  type Channel,
  type WebhookDisabledReason,
  type WebhookKind,
} from '@tidings/contracts';
import type { WebhookEndpoint as WebhookEndpointRow } from '@tidings/database/client';
import { systemIds, type SecretBox } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { newWebhookSecret, decryptWebhookSecrets, encryptWebhookSecrets } from './secrets.ts';

const statement = statementsIn(import.meta.dirname);

/** Where an application is told what becomes of its campaigns. Times in milliseconds since the epoch. */
/** What an endpoint may ask for; a ping comes without. */
export type SubscribedKind = Exclude<WebhookKind, 'webhook.ping'>;

export type WebhookEndpoint = {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** What it is told of; empty: everything. */
  readonly kinds: readonly SubscribedKind[];
  readonly channels: readonly Channel[];
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: WebhookDisabledReason | null;
  readonly disabledAt: number | null;
  /** Since when every attempt failed; null while they succeed. */
  readonly failingSince: number | null;
  /** Until when the secret before the last rotation signs too. */
  readonly previousSecretUntil: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type WebhookEndpointChange = Partial<
  Pick<WebhookEndpoint, 'url' | 'description' | 'kinds' | 'channels'>
> & { readonly enabled?: boolean };

type EndpointOfApplication = { readonly applicationId: string; readonly endpointId: string };

/** Makes an endpoint; its secret is returned this once. `too_many` when the application has 16. @callers api */
export async function createWebhookEndpoint(
  db: Database,
  box: SecretBox,
  input: { readonly applicationId: string } & Pick<
    WebhookEndpoint,
    'url' | 'description' | 'kinds' | 'channels'
  >,
): Promise<(WebhookEndpoint & { readonly secret: string }) | 'too_many'> {
  const { applicationId } = input;
  const endpointId = systemIds.uuid();
  const secret = newWebhookSecret();
  const isMade = await db.transaction(async (sql) => {
    // Locks the application, so that two calls cannot both find room for the last one.
    await sql.query(statement('lock-application'), [applicationId]);
    const { rowCount } = await sql.query(statement('create-webhook-endpoint'), [
      endpointId,
      applicationId,
      input.url,
      input.description,
      input.kinds,
      input.channels,
      encryptWebhookSecrets(box, { applicationId, endpointId }, [secret]),
      LIMITS.webhooksMax,
    ]);
    return rowCount === 1;
  });
  const endpoint = isMade ? await readWebhookEndpoint(db, { applicationId, endpointId }) : null;
  return endpoint === null ? 'too_many' : { ...endpoint, secret };
}

/** The endpoints of an application, oldest first. */
export async function listWebhookEndpoints(
  db: Database,
  applicationId: string,
): Promise<WebhookEndpoint[]> {
  const rows = await (
    await db.prisma()
  ).webhookEndpoint.findMany({ where: { applicationId }, orderBy: { id: 'asc' } });
  return rows.map(toWebhookEndpoint);
}

export async function readWebhookEndpoint(
  db: Database,
  { applicationId, endpointId }: EndpointOfApplication,
): Promise<WebhookEndpoint | null> {
  const row = await (
    await db.prisma()
  ).webhookEndpoint.findFirst({ where: { id: endpointId, applicationId } });
  return row && toWebhookEndpoint(row);
}

/** What is not named stays. Another address, or switching it on, begins a new count of failures. @callers api */
export async function changeWebhookEndpoint(
  db: Database,
  {
    applicationId,
    endpointId,
    change,
  }: EndpointOfApplication & { readonly change: WebhookEndpointChange },
): Promise<WebhookEndpoint | null> {
  const { rowCount } = await db.sql.query(statement('change-webhook-endpoint'), [
    applicationId,
    endpointId,
    change.url,
    change.description,
    change.kinds,
    change.channels,
    change.enabled,
  ]);
  return rowCount === 0 ? null : readWebhookEndpoint(db, { applicationId, endpointId });
}

/** False when there is none. What was still to be sent to it ends with the next look for such. @callers api */
export async function deleteWebhookEndpoint(
  db: Database,
  { applicationId, endpointId }: EndpointOfApplication,
): Promise<boolean> {
  const { count } = await (
    await db.prisma()
  ).webhookEndpoint.deleteMany({ where: { id: endpointId, applicationId } });
  return count > 0;
}

/**
 * Gives it a new secret, returned this once. The one before signs too for a day; one older than that no more, nor one
 * that the key at hand does not open. @callers api
 */
export async function rotateWebhookSecret(
  db: Database,
  box: SecretBox,
  { applicationId, endpointId }: EndpointOfApplication,
): Promise<(WebhookEndpoint & { readonly secret: string }) | null> {
  const secret = newWebhookSecret();
  const isRotated = await db.transaction(async (sql) => {
    const { rows } = await sql.query<{ sealed: string }>(statement('lock-webhook-secrets'), [
      applicationId,
      endpointId,
    ]);
    const [row] = rows;
    if (row === undefined) return false;
    const [previous] = decryptWebhookSecrets(box, { applicationId, endpointId }, row.sealed) ?? [];
    const secrets = previous === undefined ? [secret] : [secret, previous];
    await sql.query(statement('rotate-webhook-secret'), [
      endpointId,
      encryptWebhookSecrets(box, { applicationId, endpointId }, secrets),
      secrets.length > 1,
      WEBHOOK_ROTATION_HOURS,
    ]);
    return true;
  });
  const endpoint = isRotated ? await readWebhookEndpoint(db, { applicationId, endpointId }) : null;
  return endpoint && { ...endpoint, secret };
}

function toWebhookEndpoint(row: WebhookEndpointRow): WebhookEndpoint {
  const isRotating =
    row.previousSecretUntil !== null && row.previousSecretUntil.getTime() > Date.now();
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    kinds: row.kinds as SubscribedKind[],
    channels: row.channels as Channel[],
    status: row.status as WebhookEndpoint['status'],
    disabledReason: row.disabledReason as WebhookDisabledReason | null,
    disabledAt: row.disabledAt?.getTime() ?? null,
    failingSince: row.failingSince?.getTime() ?? null,
    previousSecretUntil: isRotating ? (row.previousSecretUntil?.getTime() ?? null) : null,
    createdAt: row.createdAt.getTime(),
    updatedAt: row.updatedAt.getTime(),
  };
}
