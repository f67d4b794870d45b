import type { Channel } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import {
  WEBHOOK_ROTATION_HOURS,
  type WebhookDisabledReason,
  type WebhookKind,
} from '@tidings/contracts/webhooks';
import type { WebhookEndpoint as WebhookEndpointRow } from '@tidings/database/client';
import { systemIds, type SecretBox } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { newWebhookSecret, decryptWebhookSecrets, encryptWebhookSecrets } from './secrets.ts';

const statement = statementsIn(import.meta.dirname);

/** An event type that an endpoint can subscribe to; pings are always sent. */
export type SubscribedKind = Exclude<WebhookKind, 'webhook.ping'>;

export type WebhookEndpoint = {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** The subscribed event types. Empty means all. */
  readonly kinds: readonly SubscribedKind[];
  readonly channels: readonly Channel[];
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: WebhookDisabledReason | null;
  readonly disabledAt: number | null;
  /** Since when every attempt has failed; null after a success. */
  readonly failingSince: number | null;
  /** Until when requests are also signed with the previous secret. */
  readonly previousSecretUntil: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type WebhookEndpointChange = Partial<
  Pick<WebhookEndpoint, 'url' | 'description' | 'kinds' | 'channels'>
> & { readonly enabled?: boolean };

type EndpointOfApplication = { readonly applicationId: string; readonly endpointId: string };

/**
 * Creates an endpoint. Its secret is returned only here. `too_many` when the application has 16
 * endpoints.
 * @callers api
 */
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
    // Locks the application: two concurrent calls must not both take the last free slot.
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

/**
 * Changes the named fields. A new URL, or enabling the endpoint, resets its failures.
 * @callers api
 */
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

/**
 * Deletes an endpoint. False when there is none. The next sweep ends its pending webhooks.
 * @callers api
 */
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
 * Creates a new secret, returned only here. Requests are also signed with the previous secret for
 * `WEBHOOK_ROTATION_HOURS`. Older secrets, and secrets that the current key cannot decrypt, are
 * dropped.
 * @callers api
 */
export async function rotateWebhookSecret(
  db: Database,
  box: SecretBox,
  { applicationId, endpointId }: EndpointOfApplication,
): Promise<(WebhookEndpoint & { readonly secret: string }) | null> {
  const secret = newWebhookSecret();
  const isRotated = await db.transaction(async (sql) => {
    const { rows } = await sql.query<{ encrypted: string }>(statement('lock-webhook-secrets'), [
      applicationId,
      endpointId,
    ]);
    const [row] = rows;
    if (row === undefined) return false;
    const [previous] =
      decryptWebhookSecrets(box, { applicationId, endpointId }, row.encrypted) ?? [];
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
