import { afterAll, expect, jest, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import { pauseAccount } from '@tidings/channel-breakers/account-pauses';
import { acceptCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates, targetOf } from '@tidings/delivery/change-states';
import { pauseChannel } from '@tidings/delivery/channel-pauses';
import { claimChunk } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { applyDeliveryUpdates } from '@tidings/delivery/delivery-updates';
import { recordLinkHits } from '@tidings/link-hits/link-hits';
import { insertDeadLetter } from '@tidings/events/dead-letters';
import { insertRejectedRequests } from '@tidings/events/rejected-requests';
import { suppressAddress } from '@tidings/people/suppressions';
import { systemClock, systemIds } from '@tidings/platform';
import {
  configureChannel,
  createOwnDatabase,
  createTestApplication,
  expandAll,
  giveDevices,
  newCampaign,
  registerUsers,
} from '@tidings/testing';
import { writeTestAddresses } from '@tidings/accounts/test-addresses';
import { createDraft } from '@tidings/campaign-drafts/drafts';
import { deleteUser } from './delete-user.ts';

// A separate database, because the test scans all of it.
jest.setTimeout(120_000);
const db = await createOwnDatabase();
afterAll(() => db.close());

const EMAIL = 'canary-mail@example.org';
const PHONE = '+4915112345999';
const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) };
const SUBSCRIPTION = JSON.stringify({ endpoint: 'https://push.example/canary-endpoint', keys });
const SECOND_SUBSCRIPTION = JSON.stringify({
  endpoint: 'https://push.example/canary-second',
  keys,
});
const TOKEN = 'canary-token';
const ADDRESSES = {
  EMAIL,
  SMS: PHONE,
  WEB_PUSH: SUBSCRIPTION,
  APP_PUSH: TOKEN,
} as const satisfies Partial<Record<Channel, string>>;
/** The same addresses in the spelling of a person who tests a channel. */
const TEST_ADDRESSES = {
  EMAIL: 'Canary-Mail@Example.org',
  SMS: PHONE,
  WEB_PUSH: JSON.stringify({ keys, endpoint: 'https://push.example/canary-endpoint' }, null, 2),
  APP_PUSH: TOKEN,
};

const CUSTOMER = 'canary-ada';

/** The places that contain the person's data; proves that the search finds it. */
const COLUMNS_THAT_KNOW = `
  account_pauses.provider_message campaign_drafts.content campaign_events.detail channel_pauses.provider_message dead_letters.headers dead_letters.record_key dead_letters.value deliveries.custom_user_id deliveries.device_id deliveries.provider_message
  deliveries.test_address delivery_addresses.device_id delivery_addresses.provider_message devices.address devices.device_id events.attributes
  inbox.leased_by inbox.message link_visits.page refused_requests.custom_user_id rehearsal_traces.run suppressions.address test_addresses.addresses users.clocks users.custom_attributes users.custom_user_id users.email_key users.fields users.hashed_email_key users.phone_e164 webhook_deliveries.data
`
  .trim()
  .split(/\s+/);

/** Every text column in which a row contains data of the person. */
async function columnsWithTraces(): Promise<string[]> {
  const { rows: columns } = await db.sql.query<{ name: string; type: string; column: string }>(
    `select c.oid::regclass::text as name, a.atttypid::regtype::text as type, quote_ident(a.attname) as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
       and a.atttypid::regtype::text in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'text[]', 'bytea[]') order by 1, 3`,
  );
  const found: string[] = [];
  for (const { name, type, column } of columns) {
    const text = type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`;
    const { rowCount } = await db.sql.query(
      `select from ${name} where ${text} ilike '%canary%' or ${text} like '%15112345999%' limit 1`,
    );
    if (rowCount !== 0) found.push(`${name.replace(/_(before|\d{6,8})$/, '')}.${column}`);
  }
  return [...new Set(found)].toSorted();
}

/** A campaign or a test send; in each the provider repeats the address in its response. */
async function send(
  applicationId: string,
  {
    channel,
    address,
    source,
  }: {
    readonly channel: keyof typeof ADDRESSES;
    readonly address: string;
    readonly source: 'api' | 'test';
  },
) {
  const campaign = newCampaign({
    applicationId,
    channel,
    source,
    recipients: [source === 'test' ? address : CUSTOMER],
  });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  const claimed = await claimChunk(db, {
    channel,
    campaignId: campaign.campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 10,
  });
  await markSending(db, claimed, 60_000);
  await changeDeliveryStates(
    db.sql,
    ['sending'],
    claimed.map((one) => ({
      ...targetOf(one),
      fence: one.fence,
      state: 'sent',
      providerCode: '250',
      providerMessage: `accepted for ${address}`,
    })),
  );
  return { campaignId: campaign.campaignId, deliveryId: String(claimed[0]?.deliveryId) };
}

async function leaveTraces(applicationId: string): Promise<void> {
  await registerUsers(db, applicationId, {
    [CUSTOMER]: {
      email: EMAIL,
      phoneNumber: PHONE,
      phoneE164: PHONE,
      firstName: 'Canary',
      hashedEmail: 'canary hash',
    },
  });
  await db.sql.query(
    `update users set custom_attributes = '{"plan": "canary"}', clocks = '{"canary": [1, "m"]}' where application_id = $1`,
    [applicationId],
  );
  await giveDevices(db, {
    applicationId,
    devices: { [CUSTOMER]: [SUBSCRIPTION, SECOND_SUBSCRIPTION] },
  });
  await giveDevices(db, { applicationId, devices: { [CUSTOMER]: [TOKEN] }, channel: 'APP_PUSH' });
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes)
     select uuidv7(), 0, $1, id, 'm1', 'action', 'views', 1, now(), '{"seen": "canary"}' from users where application_id = $1`,
    [applicationId],
  );
  await db.sql.query(
    `insert into rehearsal_traces (rehearsal_id, no, application_id, user_id, run)
     select uuidv7(), 1, $1, id, '{"key": "canary"}' from users where application_id = $1`,
    [applicationId],
  );
  await db.sql.query(
    `insert into webhook_endpoints (id, application_id, url, sealed_secrets) values (uuidv7(), $1, 'https://hooks.example', 'sealed')`,
    [applicationId],
  );
  for (const [channel, address] of Object.entries(ADDRESSES) as [
    keyof typeof ADDRESSES,
    string,
  ][]) {
    await configureChannel(db, applicationId, channel);
    const { deliveryId } = await send(applicationId, { channel, address, source: 'api' });
    await send(applicationId, { channel, address: TEST_ADDRESSES[channel], source: 'test' });
    await applyDeliveryUpdates(db, [
      { deliveryId, outcome: 'clicked', detail: 'https://shop.example/canary' },
    ]);
    await recordLinkHits(db, [
      {
        deliveryId,
        kind: 'click',
        url: 'https://shop.example/canary',
        linkCount: 1,
        isMachine: false,
      },
    ]);
    await pauseChannel(db.sql, {
      applicationId,
      channel,
      version: 1,
      reason: 'provider_auth',
      providerMessage: `may not send to ${address.toUpperCase()}`,
    });
    await pauseAccount(db.sql, {
      applicationId,
      channel,
      account: 'main',
      version: 1,
      reason: 'provider_auth',
      providerMessage: `may not send to ${address.toUpperCase()}`,
    });
  }
  await createDraft(db, {
    applicationId,
    draftId: systemIds.uuid(),
    content: { recipients: [CUSTOMER], message: { body: `Write to ${EMAIL} or ${PHONE}` } },
    by: 'member:eve@example.com',
  });
  await writeTestAddresses(db, {
    applicationId,
    memberId: await createMember(),
    addresses: [CUSTOMER, EMAIL.toUpperCase(), PHONE],
  });
  await leaveInboxAndLetter(applicationId);
  await insertRejectedRequests(db, [
    {
      requestId: systemIds.uuid(),
      applicationId,
      keyId: applicationId,
      receivedAt: Date.now(),
      path: '/',
      status: 400,
      code: 'validation_failed',
      address: null,
      errors: [],
      unlisted: 0,
      customUserId: CUSTOMER,
      serviceUserId: null,
    },
  ]);
  await suppressAddress(db.sql, {
    applicationId,
    channel: 'EMAIL',
    address: EMAIL,
    reason: 'unsubscribed',
  });
}

async function createMember(): Promise<string> {
  const id = systemIds.uuid();
  await db.sql.query(
    "insert into members (id, email, name, role) values ($1, $2, 'Eve', 'marketer')",
    [id, `${id}@example.com`],
  );
  return id;
}

async function leaveInboxAndLetter(applicationId: string): Promise<void> {
  await db.sql.query(
    `insert into inbox (delivery_id, application_id, user_id, channel, campaign_id, expires_at, leased_by, message)
     select uuidv7(), $1, id, 'IN_APP', uuidv7(), now() + interval '1 day', 'canary device', '{"body": "Hello Canary"}' from users where application_id = $1`,
    [applicationId],
  );
  await insertDeadLetter(db.sql, {
    id: systemIds.uuid(),
    consumer: 'users',
    applicationId,
    requestId: systemIds.uuid(),
    topic: 'ingest',
    partition: 0,
    offset: 1n,
    key: Buffer.from(`${applicationId}:${CUSTOMER}`),
    value: Buffer.from('{"email":"canary-mail@example.org"}'),
    headers: { note: 'canary' },
    errorClass: 'data',
    sqlState: '22P05',
  });
}

test('after deletion no column of any table has the user’s data, except the id in deliveries and their webhooks, and suppressions', async () => {
  const { applicationId } = await createTestApplication(db);
  await leaveTraces(applicationId);
  const before = await columnsWithTraces();

  await deleteUser(db, { applicationId, customUserId: CUSTOMER, clock: systemClock });

  expect(before).toEqual(COLUMNS_THAT_KNOW.toSorted());
  expect(await columnsWithTraces()).toEqual([
    'deliveries.custom_user_id',
    'suppressions.address',
    'webhook_deliveries.data',
  ]);
});

test('data of others stays', async () => {
  const { applicationId } = await createTestApplication(db);
  await registerUsers(db, applicationId, { ada: { email: 'ada@example.com' } });
  await configureChannel(db, applicationId, 'EMAIL');
  const { campaignId } = await send(applicationId, {
    channel: 'EMAIL',
    address: 'eve@example.com',
    source: 'test',
  });

  await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock });

  const { rows } = await db.sql.query<{ test_address: string }>(
    'select test_address from deliveries where campaign_id = $1',
    [campaignId],
  );
  expect(rows).toEqual([{ test_address: 'eve@example.com' }]);
});
