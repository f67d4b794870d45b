import { afterAll, describe, expect, test } from '@jest/globals';
import type { AnswerOf } from '@tidings/api-spec/endpoint';
import type { searchEndpoint } from '@tidings/api-spec/endpoints/search';
import { MEMBER_ROLES } from '@tidings/contracts/members';
import { systemIds } from '@tidings/platform';
import { configureChannel, createSendingCampaign, registerUsers } from '@tidings/testing';
import { createDeadLetter } from '../../testing/dead-letter.ts';
import { insertEvent, insertRejection, insertRequest, insertUser } from '../../testing/log-rows.ts';
import { startTestApi, type Headers } from '../../testing/test-api.ts';
import { createWebhook } from '../../testing/webhooks.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other, asAdmin } = api;
const { applicationId } = tenant;

type Found = AnswerOf<typeof searchEndpoint>;

const search = async (q: string, headers: Headers = asAdmin): Promise<Found['items']> => {
  const { body } = await api.request<Found>('GET', `search?q=${encodeURIComponent(q)}`, {
    headers,
  });
  expect(body.incomplete).toEqual([]);
  return body.items;
};
const asOther = { ...asAdmin, 'X-Application-Id': other.applicationId };

await configureChannel(db, applicationId, 'EMAIL');
const webhook = await createWebhook(api);
const campaign = await createSendingCampaign(db, {
  applicationId,
  recipients: ['ada'],
  message: { title: 'Report me', body: 'Text' },
});
const [deliveryId = ''] = (
  await db.sql.query<{ id: string }>('select id from deliveries where campaign_id = $1', [
    campaign.campaignId,
  ])
).rows.map(({ id }) => id);
const [sentHook = { id: '', event_id: '' }] = (
  await db.sql.query<{ id: string; event_id: string }>(
    'select id, event_id from webhook_deliveries where endpoint_id = $1 order by id limit 1',
    [webhook.id],
  )
).rows;
const accepted = await insertRequest(db, applicationId, {
  receipts: [{ outcome: 'processed', type: 'user', id: 'm-of-user-1' }, { outcome: 'processed' }],
});
const rejected = await insertRejection(db, applicationId);
const deadLetter = await createDeadLetter(db, { applicationId });

const FOUND_CAMPAIGN = {
  kind: 'campaign',
  id: campaign.campaignId,
  title: 'Report me',
  detail: null,
  channel: 'EMAIL',
  source: 'api',
  status: expect.any(String),
  createdAt: campaign.createdAt,
};
const FOUND_HOOK = {
  kind: 'webhookDelivery',
  id: sentHook.id,
  title: 'campaign.queued',
  detail: 'https://hooks.example/tidings',
  webhookId: webhook.id,
  eventId: sentHook.event_id,
  type: 'campaign.queued',
  campaignId: campaign.campaignId,
  status: 'pending',
  occurredAt: expect.any(Number),
};

describe('GET search opens a pasted id', () => {
  test.each<[string, string, readonly unknown[]]>([
    ['of a campaign', campaign.campaignId, [FOUND_CAMPAIGN]],
    ['of the request of a push', campaign.requestId, [FOUND_CAMPAIGN]],
    [
      'of a delivery',
      deliveryId,
      [
        {
          kind: 'delivery',
          id: deliveryId,
          title: 'ada',
          detail: 'Report me',
          campaignId: campaign.campaignId,
          customUserId: 'ada',
          channel: 'EMAIL',
          status: 'pending',
          createdAt: expect.any(Number),
        },
        FOUND_CAMPAIGN,
      ],
    ],
    [
      'of an accepted request',
      accepted,
      [
        {
          kind: 'request',
          id: accepted,
          title: accepted,
          detail: null,
          outcome: 'accepted',
          code: null,
          messages: 2,
          receivedAt: expect.any(Number),
        },
      ],
    ],
    [
      'of a rejected request',
      rejected,
      [
        {
          kind: 'request',
          id: rejected,
          title: rejected,
          detail: 'validation_failed',
          outcome: 'rejected',
          code: 'validation_failed',
          messages: null,
          receivedAt: expect.any(Number),
        },
      ],
    ],
    ['of a webhook delivery', sentHook.id, [FOUND_HOOK]],
    ['of the event of a webhook', sentHook.event_id, [FOUND_HOOK]],
    [
      'of a dead letter',
      deadLetter,
      [
        {
          kind: 'deadLetter',
          id: deadLetter,
          title: 'events',
          detail: 'data',
          status: 'waiting',
          createdAt: expect.any(Number),
        },
      ],
    ],
  ])('%s', async (_name, id, expected) => {
    for (const text of [id, ` ${id.toUpperCase()} `, `"${id}",`, id.replaceAll('-', '')])
      expect(await search(text)).toEqual(expected);
    expect(await search(id, asOther)).toEqual([]);
  });

  test('of a user, the serviceUserId', async () => {
    const [id = ''] = (
      await db.sql.query<{ id: string }>(
        "select id from users where application_id = $1 and custom_user_id = 'ada'",
        [applicationId],
      )
    ).rows.map((row) => row.id);
    const serviceUserId = systemIds.uuid();
    await db.sql.query(
      'insert into user_identities (application_id, service_user_id, user_id) values ($1, $2, $3)',
      [applicationId, serviceUserId, id],
    );

    expect(await search(serviceUserId)).toEqual([
      { kind: 'user', id: 'ada', title: 'ada', detail: 'ada@example.org' },
    ]);
    expect(await search(serviceUserId, asOther)).toEqual([]);
  });

  test('of a user, a customUserId that is a UUID in its own writing', async () => {
    const id = systemIds.uuid().replaceAll('-', '').toUpperCase();
    await registerUsers(db, applicationId, [id]);

    for (const text of [id, `"${id}"`])
      expect(await search(text)).toMatchObject([{ kind: 'user', id }]);
    expect(await search(id.toLowerCase())).toEqual([]);
  });

  test('of nothing', async () => {
    expect(await search(systemIds.uuid())).toEqual([]);
    expect(await search(`evt_${'0'.repeat(32)}`)).toEqual([]);
  });
});

describe('GET search opens the id of a message', () => {
  const insertStored = async (id: string, userId: string): Promise<string> => {
    const receivedAt = new Date();
    const requestId = await insertRequest(db, applicationId, {
      receivedAt,
      receipts: [{ id, userId, outcome: 'stored' }],
    });
    await insertEvent(db, applicationId, {
      slug: 'item-viewed',
      id,
      requestId,
      receivedAt,
      userId,
    });
    await db.sql.query(
      "insert into duplicate_keys (id_key, request_id, message_index, received_at) values (duplicate_key($1 || ':server:' || $2), $3, 0, $4)",
      [applicationId, id, requestId, receivedAt],
    );
    return requestId;
  };

  test.each(['order-1', systemIds.uuid(), 'a:b/7'])('%s', async (id) => {
    await registerUsers(db, applicationId, [`user of ${id}`]);
    const { rows } = await db.sql.query<{ id: string }>(
      'select id from users where application_id = $1 and custom_user_id = $2',
      [applicationId, `user of ${id}`],
    );
    const requestId = await insertStored(id, String(rows[0]?.id));

    expect(await search(id)).toEqual([
      {
        kind: 'message',
        id,
        title: 'name of item-viewed',
        detail: `user of ${id}`,
        requestId,
        index: 0,
        type: 'action',
        outcome: 'processed',
        receivedAt: expect.any(Number),
      },
    ]);
    expect(await search(id, asOther)).toEqual([]);

    await api.request('DELETE', `users/${encodeURIComponent(`user of ${id}`)}`, {
      headers: asAdmin,
    });
    expect(await search(id)).toMatchObject([{ kind: 'message', title: 'action', detail: null }]);
  });

  test('without the user, as long as that is not registered', async () => {
    await insertStored('held-1', await insertUser(db, applicationId, { customUserId: 'secret' }));

    expect(await search('held-1')).toMatchObject([{ id: 'held-1', outcome: 'held', detail: null }]);
  });

  test('that was not stored', async () => {
    const requestId = await insertRequest(db, applicationId, {
      receipts: [{ id: 'dropped-1', outcome: 'dropped', reason: 'unknown_slug' }],
    });

    expect(await search('dropped-1')).toMatchObject([
      { id: 'dropped-1', requestId, title: 'action', outcome: 'dropped', detail: null },
    ]);
  });
});

describe('GET search leaves out what the caller may not open', () => {
  const kindsOf = async (headers: Headers): Promise<string[]> => {
    const found = [
      ...(await search(campaign.campaignId, headers)),
      ...(await search(deliveryId, headers)),
      ...(await search(accepted, headers)),
      ...(await search('dropped-1', headers)),
      ...(await search(sentHook.id, headers)),
      ...(await search(sentHook.event_id, headers)),
      ...(await search(deadLetter, headers)),
      ...(await search('ada', headers)),
    ];
    return [...new Set(found.map(({ kind }) => kind))].toSorted();
  };
  const EVERY_ROLE = ['campaign', 'delivery', 'message', 'request', 'user', 'webhookDelivery'];

  test.each(MEMBER_ROLES)('of a member: %s', async (role) => {
    const { headers } = await api.signIn(role);
    const mayReadRecords = role !== 'viewer' && role !== 'marketer';

    expect(await kindsOf(headers)).toEqual(
      [...EVERY_ROLE, ...(mayReadRecords ? ['deadLetter'] : [])].toSorted(),
    );
  });

  test('of a Server key: what only administrators read', async () => {
    expect(await kindsOf(api.asServer)).toEqual([
      'campaign',
      'delivery',
      'message',
      'request',
      'user',
    ]);
  });

  test('of an administrator token: nothing', async () => {
    expect(await kindsOf(asAdmin)).toEqual([...EVERY_ROLE, 'deadLetter'].toSorted());
  });
});
