import { afterAll, describe, expect, test } from '@jest/globals';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import type { NewCampaign } from '@tidings/delivery/accept';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock, systemIds } from '@tidings/platform';
import { chooseShare } from '@tidings/templates/choose-share';
import {
  connectTestDatabase,
  createRecordingLogger,
  setAttributes,
  someIds,
} from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { deliverChunkToInbox } from './deliver-to-inbox.ts';
import { inboxDependencies } from './inbox-worker.ts';
import { sendChunk } from './send-chunk.ts';
import { chunkOf, unending } from './testing/first-chunk.ts';
import { own, personalCampaigns, phone } from './testing/personal-campaigns.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { createApplication, createCampaign, send, outcomesOf } = personalCampaigns(db);

describe('a personalised campaign', () => {
  test('sends each user their own message; without a value there is no attempt', async () => {
    const applicationId = await createApplication('SMS', {
      ada: { ...phone(1), firstName: 'Ada' },
      bob: { ...phone(2), firstName: '' },
      carl: { ...phone(3), firstName: 'Carl' },
    });
    const campaign = await createCampaign({
      applicationId,
      channel: 'SMS',
      recipients: ['ada', 'bob', 'carl'],
      templates: own({ body: 'Hello {{ user.firstName }}' }),
    });

    const sent = await send(campaign);

    expect([...sent].map(([id, { message }]) => [id, message['body']]).toSorted()).toEqual([
      ['ada', 'Hello Ada'],
      ['carl', 'Hello Carl'],
    ]);
    expect(await outcomesOf(campaign)).toMatchObject({
      ada: { status: 'sent', attempts: 1 },
      bob: {
        status: 'failed',
        reason: 'template_error',
        providerCode: 'missing_variable',
        providerMessage: 'user.firstName is missing',
        attempts: 0,
      },
    });
  });

  test('mails share their body, and have values and a subject of their own', async () => {
    const applicationId = await createApplication('EMAIL', {
      ada: { email: 'ada@example.org', firstName: '<Ada>' },
      bob: { email: 'bob@example.org', firstName: 'Bob' },
    });
    const campaign = await createCampaign({
      applicationId,
      channel: 'EMAIL',
      recipients: ['ada', 'bob'],
      templates: own({ title: 'Hi {{ user.firstName }}', body: '<p>{{ user.firstName }}' }),
    });

    const sent = await send(campaign);

    const [ada, bob] = [sent.get('ada'), sent.get('bob')];
    expect(ada?.message).toBe(bob?.message);
    expect(ada?.personal).toEqual({ subject: 'Hi <Ada>', html: ['&lt;Ada&gt;'], text: ['<Ada>'] });
    expect(bob?.personal).toEqual({ subject: 'Hi Bob', html: ['Bob'], text: ['Bob'] });
  });

  test('reads the profiles of a chunk by one statement', async () => {
    const ids = someIds(12);
    const applicationId = await createApplication(
      'SMS',
      Object.fromEntries(ids.map((id, index) => [id, { ...phone(index), firstName: id }])),
    );
    const campaign = await createCampaign({
      applicationId,
      channel: 'SMS',
      recipients: ids,
      templates: own({ body: '{{ user.firstName }}' }),
    });
    let reads = 0;
    const counting = {
      ...db,
      sql: {
        query: ((...args: unknown[]): unknown => {
          if (String(args[0]).includes('jsonb_object_agg')) reads += 1;
          return (db.sql.query as (...all: unknown[]) => unknown).apply(db.sql, args);
        }) as typeof db.sql.query,
      },
    };
    const channel = scriptedChannel(() => ({ status: 'sent' }));

    await sendChunk(
      testWorker(counting, channel, { channelName: 'SMS', claimRowsMax: 50 }),
      chunkOf(campaign),
      unending,
    );

    expect(channel.calls).toHaveLength(12);
    expect(reads).toBe(1);
  });

  test('a variant is that of the first condition that is true', async () => {
    const applicationId = await createApplication('SMS', {
      ada: { ...phone(1), country: 'DE' },
      bob: { ...phone(2), country: 'FR' },
      carl: { ...phone(3), country: 'DE' },
    });
    await setAttributes(db, { applicationId, customUserId: 'carl' }, { plan: 'pro' });
    const variant = (name: string, condition: object) => ({
      name,
      condition: condition as CampaignTemplate['variants'][number]['condition'],
      message: { body: name },
    });
    const campaign = await createCampaign({
      applicationId,
      channel: 'SMS',
      recipients: ['ada', 'bob', 'carl'],
      templates: [
        {
          slug: 'x',
          version: 1,
          share: 1,
          message: { body: 'else' },
          variants: [
            variant('pro', { attribute: 'plan', is: 'pro' }),
            variant('german', { field: 'country', is: 'DE' }),
          ],
        },
      ],
    });

    const sent = await send(campaign);

    expect(Object.fromEntries([...sent].map(([id, { message }]) => [id, message['body']]))).toEqual(
      { ada: 'german', bob: 'else', carl: 'pro' },
    );
  });

  test('recipients are split by a hash of campaign and user', async () => {
    const ids = someIds(30);
    const applicationId = await createApplication(
      'SMS',
      Object.fromEntries(ids.map((id, index) => [id, phone(index)])),
    );
    const template = (body: string, share: number): CampaignTemplate => ({
      slug: body,
      version: 1,
      share,
      message: { body },
      variants: [],
    });
    const campaign = await createCampaign({
      applicationId,
      channel: 'SMS',
      recipients: ids,
      templates: [template('a', 1), template('b', 2)],
    });

    const sent = await send(campaign);

    expect(Object.fromEntries([...sent].map(([id, { message }]) => [id, message['body']]))).toEqual(
      Object.fromEntries(
        ids.map((id) => [id, ['a', 'b'][chooseShare(campaign.campaignId, id, [1, 2])]]),
      ),
    );
  });

  test('a daily cap counts the segments of rendered messages', async () => {
    const applicationId = await createApplication('SMS', {
      ada: { ...phone(1), city: 'x'.repeat(300) },
    });
    await updateApplication(db, applicationId, { settings: { dailyCaps: { SMS: 1 } } });
    const campaign = await createCampaign({
      applicationId,
      channel: 'SMS',
      recipients: ['ada'],
      templates: own({ body: '{{ user.city }}' }),
    });

    await send(campaign);

    expect(await outcomesOf(campaign)).toMatchObject({
      ada: { status: 'failed', reason: 'spend_cap' },
    });
  });
});

describe.each(['IN_APP', 'ON_SITE'] as const)('a personalised %s message', (channel) => {
  const offer = async (campaign: NewCampaign) => {
    const deps = {
      ...inboxDependencies({
        db,
        channel,
        owner: systemIds.uuid(),
        claimLeaseMs: 30_000,
        onDelivered: () => undefined,
      }),
      clock: systemClock,
      logger: createRecordingLogger().logger,
    };
    await deliverChunkToInbox(deps, chunkOf(campaign), unending);
    expect(deps.renderedMessages.size).toBe(0);
  };
  const inboxOf = async ({ campaignId }: NewCampaign) => {
    const { rows } = await db.sql.query<{ message: object | null }>(
      'select message from inbox where campaign_id = $1',
      [campaignId],
    );
    return rows.map(({ message }) => message);
  };

  test('is rendered when it is delivered to the inbox, and deleted with it', async () => {
    const applicationId = await createApplication(channel, {
      ada: { firstName: '<Ada>' },
      bob: {},
    });
    const campaign = await createCampaign({
      applicationId,
      channel,
      recipients: ['ada', 'bob'],
      templates: own({ title: 'Hi {{ user.firstName }}', body: '<p>{{ user.firstName }}' }),
    });

    await offer(campaign);

    expect(await inboxOf(campaign)).toEqual([{ title: 'Hi <Ada>', body: '<p>&lt;Ada&gt;' }]);
    expect(await outcomesOf(campaign)).toMatchObject({
      ada: { status: 'waiting' },
      bob: { status: 'failed', reason: 'template_error', attempts: 0 },
    });

    await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock });
    expect(await inboxOf(campaign)).toEqual([]);
  });

  test('one that is not personalised is not copied', async () => {
    const applicationId = await createApplication(channel, { ada: {} });
    const campaign = await createCampaign({ applicationId, channel, recipients: ['ada'] });

    await offer(campaign);

    expect(await inboxOf(campaign)).toEqual([null]);
  });
});
