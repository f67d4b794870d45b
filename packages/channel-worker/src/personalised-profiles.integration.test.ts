import { afterAll, expect, test } from '@jest/globals';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { readCampaignsToSend } from '@tidings/delivery/campaigns-to-send';
import { chooseShare } from '@tidings/templates/choose-share';
import { connectTestDatabase, setAttributes, someIds } from '@tidings/testing';
import assert from 'node:assert/strict';
import type { Prepared } from './prepare.ts';
import { renderRecipients } from './render-recipients.ts';
import { sendChunk } from './send-chunk.ts';
import { chunkOf, unending } from './testing/first-chunk.ts';
import { own, personalCampaigns, phone } from './testing/personal-campaigns.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { slowDatabase, testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { createApplication, createCampaign, send } = personalCampaigns(db);

const template = (
  body: string,
  variant?: { readonly condition: Condition; readonly body: string },
): CampaignTemplate => ({
  slug: 'x',
  version: 1,
  share: 1,
  message: { body },
  variants:
    variant === undefined
      ? []
      : [{ name: 'x', condition: variant.condition, message: { body: variant.body } }],
});
const bodiesOf = (sent: Awaited<ReturnType<typeof send>>) =>
  Object.fromEntries([...sent].map(([id, { message }]) => [id, message['body']]));

test('a profile is that of the campaign’s application', async () => {
  const names = ['First', 'Second'];
  const bodies: unknown[] = [];
  const campaigns = [];
  for (const [index, firstName] of names.entries()) {
    const applicationId = await createApplication('SMS', {
      shared: { ...phone(index), firstName },
    });
    campaigns.push(
      await createCampaign({
        applicationId,
        channel: 'SMS',
        recipients: ['shared'],
        templates: own({ body: '{{ user.firstName }}' }),
      }),
    );
  }

  for (const campaign of campaigns) bodies.push(bodiesOf(await send(campaign))['shared']);

  expect(bodies).toEqual(names);
});

test('a user who was deleted since the claim gets nothing', async () => {
  const applicationId = await createApplication('SMS', { ada: phone(1) });
  const { campaignId } = await createCampaign({
    applicationId,
    channel: 'SMS',
    recipients: ['ada'],
    templates: own({ body: "Hello {{ user.firstName | default: 'you' }}" }),
  });
  const campaign = (await readCampaignsToSend(db.sql, [campaignId])).get(campaignId);
  assert(campaign !== undefined);
  const ready = ['ada', 'gone'].map((customUserId) => ({
    delivery: { deliveryId: customUserId, customUserId, fence: 1 },
    address: '+4915112345678',
  })) as Prepared[];

  const chunk = { campaignId, chunkNo: -1 };

  expect(
    await renderRecipients(testWorker(db, scriptedChannel()), campaign, { chunk, ready }),
  ).toMatchObject({
    open: [{ delivery: { customUserId: 'ada' }, rendered: { message: { body: 'Hello you' } } }],
    changes: [{ deliveryId: 'gone', fence: 1, state: 'failed', reason: 'unknown_user' }],
  });
});

test('attributes are read that only a variant shows', async () => {
  const applicationId = await createApplication('SMS', { ada: phone(1) });
  await setAttributes(db, { applicationId, customUserId: 'ada' }, { plan: 'pro' });
  const campaign = await createCampaign({
    applicationId,
    channel: 'SMS',
    recipients: ['ada'],
    templates: [
      template('else', {
        condition: { attribute: 'plan', exists: true },
        body: "{{ user.customAttributes.plan | default: 'nothing' }}",
      }),
    ],
  });

  expect(bodiesOf(await send(campaign))).toEqual({ ada: 'pro' });
});

test('attributes are read whose name is a value', async () => {
  const applicationId = await createApplication('SMS', { ada: { ...phone(1), city: 'Ulm' } });
  await setAttributes(db, { applicationId, customUserId: 'ada' }, { Ulm: 'the minster' });
  const campaign = await createCampaign({
    applicationId,
    channel: 'SMS',
    recipients: ['ada'],
    templates: own({ body: "{{ user.customAttributes[user.city] | default: 'nothing' }}" }),
  });

  expect(bodiesOf(await send(campaign))).toEqual({ ada: 'the minster' });
});

test('a variant is one of the user’s own template', async () => {
  const ids = someIds(20);
  const countryOf = (id: string) => (ids.indexOf(id) % 2 === 0 ? 'DE' : 'FR');
  const applicationId = await createApplication(
    'SMS',
    Object.fromEntries(ids.map((id, index) => [id, { ...phone(index), country: countryOf(id) }])),
  );
  const campaign = await createCampaign({
    applicationId,
    channel: 'SMS',
    recipients: ids,
    templates: ['DE', 'FR'].map((country) =>
      template(`not ${country}`, { condition: { field: 'country', is: country }, body: country }),
    ),
  });

  const sent = await send(campaign);

  const expected = ids.map((id) => {
    const country = ['DE', 'FR'][chooseShare(campaign.campaignId, id, [1, 1])];
    return [id, country === countryOf(id) ? country : `not ${country}`];
  });
  expect(bodiesOf(sent)).toEqual(Object.fromEntries(expected));
});

test('while conditions of variants take too long the rows wait', async () => {
  const applicationId = await createApplication('SMS', { ada: { ...phone(1), country: 'DE' } });
  const campaign = await createCampaign({
    applicationId,
    channel: 'SMS',
    recipients: ['ada'],
    templates: [template('else', { condition: { field: 'country', is: 'DE' }, body: 'German' })],
  });
  const channel = scriptedChannel();

  await sendChunk(
    testWorker(slowDatabase(db), channel, { channelName: 'SMS' }),
    chunkOf(campaign),
    unending,
  );

  expect(channel.calls).toEqual([]);
  expect(bodiesOf(await send(campaign))).toEqual({});
  await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
    campaign.campaignId,
  ]);
  expect(bodiesOf(await send(campaign))).toEqual({ ada: 'German' });
});
