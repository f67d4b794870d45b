import type { Application } from '@tidings/accounts/applications';
import { markChannelReady, writeChannelSettings } from '@tidings/accounts/channel-settings';
import type { Channel } from '@tidings/contracts/channels/channels';
import { STATE_GROUPS, type DeliveryState } from '@tidings/contracts/push/deliveries';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { expandNextChunks, startCampaign } from '@tidings/delivery/expand';
import { createSecretBox, newTraceId, storedMailboxKey, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createTestApplication } from './database.ts';

/** Opens the channel secrets of test applications. */
export const testSecretBox = createSecretBox('a key for tests, of thirty-two characters');

/** An application of its own whose EMAIL channel is configured and tested. */
export async function createSendingApplication(db: Database): Promise<Application> {
  const application = await createTestApplication(db);
  await configureEmail(db, application.applicationId);
  await markChannelReady(db, {
    applicationId: application.applicationId,
    channel: 'EMAIL',
    version: 1,
  });
  return application;
}

/** EMAIL settings that no test send has proved yet. */
export async function configureEmail(
  db: Database,
  applicationId: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await writeChannelSettings(db, testSecretBox, {
    applicationId,
    channel: 'EMAIL',
    settings: {
      host: 'smtp.example',
      port: 25,
      security: 'none',
      fromAddress: 'shop@example.com',
      ...settings,
    },
    secrets: { password: 'secret' },
  });
}

/** A channel without settings that matter, ready to send. */
export async function configureChannel(
  db: Database,
  applicationId: string,
  channel: Channel,
): Promise<void> {
  await writeChannelSettings(db, testSecretBox, {
    applicationId,
    channel,
    settings: {},
    secrets: {},
  });
  await markChannelReady(db, { applicationId, channel, version: 1 });
}

/** Registered users: by their ids, each with an e-mail address, or by their ids with their profile fields. */
export async function registerUsers(
  db: Database,
  applicationId: string,
  users: readonly string[] | Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Promise<void> {
  const profiles = Array.isArray(users)
    ? users.map((id: string) => [id, { email: 'ada@example.org' }] as const)
    : Object.entries(users);
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at, fields, phone_e164, mailbox_key, mailbox_spelling)
     select uuidv7(), $1, profile ->> 0, now(), (profile -> 1) - 'phoneE164', profile -> 1 ->> 'phoneE164',
            profile ->> 2, case when profile ->> 2 is not null then lower(profile -> 1 ->> 'email') end
     from jsonb_array_elements($2::jsonb) as profile`,
    [
      applicationId,
      JSON.stringify(
        profiles.map(([id, fields]) => [id, fields, storedMailboxKey(fields['email'])]),
      ),
    ],
  );
}

/** Sets the custom attributes of a registered user. */
export async function setAttributes(
  db: Database,
  {
    applicationId,
    customUserId,
  }: { readonly applicationId: string; readonly customUserId: string },
  attributes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await db.sql.query(
    'update users set custom_attributes = $3 where application_id = $1 and custom_user_id = $2',
    [applicationId, customUserId, JSON.stringify(attributes)],
  );
}

/** `count` customUserIds that no other test uses. */
export function someIds(count: number): string[] {
  const prefix = systemIds.uuid().slice(-12);
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** An e-mail campaign as the gateway would accept it. */
export function newCampaign(
  overrides: Partial<NewCampaign> & Pick<NewCampaign, 'applicationId'>,
): NewCampaign {
  const createdAt = overrides.createdAt ?? Date.now();
  // In this order, as requests and their campaigns get them.
  const requestId = systemIds.uuid();
  const campaignId = systemIds.uuid();
  return {
    campaignId,
    channel: 'EMAIL',
    purpose: 'transactional',
    source: 'api',
    message: { title: 'Hello', body: 'Text' },
    recipients: ['ada'],
    createdBy: 'test',
    requestId,
    traceId: newTraceId(),
    createdAt,
    expiresAt: createdAt + 3_600_000,
    ...overrides,
  };
}

/** Expands what is left of a campaign; returns the numbers of the chunks that are to be announced. */
export async function expandAll(db: Database, campaignId: string): Promise<number[]> {
  const chunkNos: number[] = [];
  if (!(await startCampaign(db, campaignId))) return chunkNos;
  for (;;) {
    const chunks = await expandNextChunks(db, campaignId);
    if (chunks === null) return chunkNos;
    chunkNos.push(...chunks.map((chunk) => chunk.chunkNo));
  }
}

/** A campaign to registered users of an application of its own, expanded and ready to be sent. */
export async function createSendingCampaign(
  db: Database,
  { count = 1, ...overrides }: { readonly count?: number } & Partial<NewCampaign> = {},
): Promise<NewCampaign> {
  const applicationId =
    overrides.applicationId ?? (await createSendingApplication(db)).applicationId;
  const recipients = overrides.recipients ?? someIds(count);
  await registerUsers(db, applicationId, recipients);
  const campaign = newCampaign({ ...overrides, applicationId, recipients });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return campaign;
}

/** The states of a campaign's deliveries, counted from the rows as the report counts them, and the reasons of failures. */
export async function recount(db: Database, campaignId: string) {
  const { rows } = await db.sql.query<{ state: DeliveryState; reason: string | null; n: number }>(
    'select state, reason, count(*)::int as n from deliveries where campaign_id = $1 group by 1, 2',
    [campaignId],
  );
  const groups: Record<string, number> = {};
  const failures: Record<string, number> = {};
  for (const { state, reason, n } of rows) {
    groups[STATE_GROUPS[state]] = (groups[STATE_GROUPS[state]] ?? 0) + n;
    if (state === 'failed') failures[String(reason)] = (failures[String(reason)] ?? 0) + n;
  }
  return { groups, failures };
}
