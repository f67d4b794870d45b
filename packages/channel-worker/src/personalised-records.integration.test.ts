import { afterAll, expect, test } from '@jest/globals';
import { controlCampaign } from '@tidings/delivery/control';
import type { NewCampaign } from '@tidings/delivery/accept';
import { markGroupsSending } from '@tidings/delivery/mark-sending';
import { readDeliveryData } from '@tidings/delivery/delivery-data';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock, systemIds } from '@tidings/platform';
import { connectTestDatabase, createPushCampaign, someDevices } from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import type { SendResult } from './channel.ts';
import { sendChunk } from './send-chunk.ts';
import { chunkOf, unending } from './testing/first-chunk.ts';
import { own, personalCampaigns, phone } from './testing/personal-campaigns.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { createApplication, createCampaign, outcomesOf } = personalCampaigns(db);

const FAILING = { status: 'transient', reason: 'provider_timeout', retryAfterMs: 0 } as const;

const changeCity = (applicationId: string, city: string) =>
  db.sql.query(
    `update users set fields = fields || jsonb_build_object('city', $2::text) where application_id = $1`,
    [applicationId, city],
  );

const makeDue = async ({ campaignId }: NewCampaign) => {
  await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [campaignId]);
  await db.sql.query('update delivery_addresses set next_at = now() where campaign_id = $1', [
    campaignId,
  ]);
};

const recordsOf = async ({ campaignId }: NewCampaign) => {
  const { rows } = await db.sql.query<{ delivery_id: string }>(
    'select delivery_id from delivery_data where campaign_id = $1',
    [campaignId],
  );
  const ids = rows.map((row) => row.delivery_id);
  return [...(await readDeliveryData(db.sql, campaignId, ids)).values()];
};

/** Sends a chunk once for each answer. Returns the bodies that the channel got. */
async function attempts(
  campaign: NewCampaign,
  answers: readonly SendResult[],
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (const answer of answers) {
    const channel = scriptedChannel(({ message }) => {
      bodies.push(message['body']);
      return answer;
    });
    const worker = testWorker(db, channel, { channelName: campaign.channel });
    await sendChunk(worker, chunkOf(campaign), unending);
    await between();
    await makeDue(campaign);
  }
  return bodies;
}

async function cityCampaign(settings: { readonly keepSentMessages?: boolean } = {}) {
  const applicationId = await createApplication('WEB_HOOK', { ada: { city: 'Ulm' } });
  await updateApplication(db, applicationId, { settings });
  return createCampaign({
    applicationId,
    channel: 'WEB_HOOK',
    recipients: ['ada'],
    templates: own({ body: { in: '{{ user.city }}', at: '{{ "now" | date: "%s.%L" }}' } }),
  });
}

test('a later attempt has the words of the first one, its time too', async () => {
  const campaign = await cityCampaign();

  const bodies = await attempts(campaign, [FAILING, FAILING, { status: 'sent' }], () =>
    changeCity(campaign.applicationId, 'Bonn'),
  );

  expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]]);
  expect(bodies[0]).toMatchObject({ in: 'Ulm' });
  const [record] = await recordsOf(campaign);
  expect(record).toMatchObject({ values: '{"city":"Ulm"}', templateNo: 0, variantNo: null });
  expect(Number((bodies[0] as { readonly at: string }).at) * 1_000).toBe(record?.renderedAt);
});

test('what was not sent, as its campaign is paused, has no record', async () => {
  const campaign = await cityCampaign();
  const channel = scriptedChannel();
  const worker = testWorker(db, channel, { channelName: 'WEB_HOOK' });
  // After the claim, before it is marked.
  const policies = {
    of: async (id: string) => {
      await db.sql.query(`update campaigns set status = 'paused' where id = $1`, [
        campaign.campaignId,
      ]);
      return worker.policies.of(id);
    },
  };

  await sendChunk({ ...worker, policies }, chunkOf(campaign), unending);

  expect(channel.calls).toEqual([]);
  expect(await recordsOf(campaign)).toEqual([]);
});

test('what is tried again by retry-failed is rendered anew', async () => {
  const campaign = await cityCampaign();
  const { applicationId, campaignId } = campaign;
  const rejected = { status: 'permanent', reason: 'provider_rejected' } as const;

  const [first] = await attempts(campaign, [rejected]);
  await db.sql.query(`update campaigns set status = 'completed' where id = $1`, [campaignId]);
  await changeCity(applicationId, 'Bonn');
  await controlCampaign(db, { applicationId, campaignId, action: 'retry-failed', actor: 'test' });
  expect(await recordsOf(campaign)).toEqual([]);
  const [second] = await attempts(campaign, [{ status: 'sent' }]);

  expect([first, second]).toMatchObject([{ in: 'Ulm' }, { in: 'Bonn' }]);
  expect(await recordsOf(campaign)).toMatchObject([{ values: '{"city":"Bonn"}' }]);
});

test('an application that keeps no messages has each attempt rendered anew, and no record', async () => {
  const campaign = await cityCampaign({ keepSentMessages: false });

  const bodies = await attempts(campaign, [FAILING, { status: 'sent' }], () =>
    changeCity(campaign.applicationId, 'Bonn'),
  );

  expect(bodies).toMatchObject([{ in: 'Ulm' }, { in: 'Bonn' }]);
  expect(await recordsOf(campaign)).toEqual([]);
});

test('only what a message shows is recorded, digit by digit', async () => {
  const applicationId = await createApplication('SMS', {
    ada: { ...phone(1), firstName: 'Ada', lastName: 'secret', city: '' },
  });
  await db.sql.query(
    `update users set custom_attributes = '{"big":9007199254740993,"other":"secret"}' where application_id = $1`,
    [applicationId],
  );
  const campaign = await createCampaign({
    applicationId,
    channel: 'SMS',
    recipients: ['ada'],
    templates: own({
      body: '{{ user.firstName }} {{ user.customAttributes.big }} {{ user.city | default: "x" }}',
    }),
  });

  const bodies = await attempts(campaign, [FAILING, { status: 'sent' }]);

  expect(bodies).toEqual(Array(2).fill('Ada 9007199254740993 x'));
  expect((await recordsOf(campaign)).map(({ values }) => values)).toEqual([
    '{"city":"","firstName":"Ada","customAttributes":{"big":9007199254740993}}',
  ]);
});

test('a record is deleted with its user', async () => {
  const campaign = await cityCampaign();
  await attempts(campaign, [{ status: 'sent' }]);
  expect(await recordsOf(campaign)).toHaveLength(1);

  const { applicationId } = campaign;
  await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock });

  expect(await recordsOf(campaign)).toEqual([]);
  expect(await outcomesOf(campaign)).toMatchObject({ ada: { status: 'sent' } });
});

test('a worker that rendered before the deletion of a user records nothing after it', async () => {
  const campaign = await cityCampaign();
  const { applicationId, campaignId } = campaign;
  const worker = testWorker(db, scriptedChannel(), { channelName: 'WEB_HOOK' });
  const { deliveries } = await worker.statements.express.claim(chunkOf(campaign));
  // It may have arrived before, so the deletion does not fail it.
  await db.sql.query('update deliveries set doubts = 1 where campaign_id = $1', [campaignId]);

  await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock });
  const data = {
    words: systemIds.uuid(),
    values: '{"city":"Ulm"}',
    renderedAt: 1,
    templateNo: 0,
    variantNo: null,
    renderer: 1,
  };
  const [marked] = await markGroupsSending(
    db,
    [deliveries.map((delivery) => ({ ...delivery, data }))],
    30_000,
  );

  expect(deliveries).toHaveLength(1);
  expect(marked?.size).toBe(0);
  expect(await recordsOf(campaign)).toEqual([]);
});

const cityPush = () =>
  createPushCampaign(db, {
    devices: someDevices(2),
    message: { body: '' },
    templates: own({ body: '{{ user.city }}' }),
  });

test('further devices get the words that the first one got, also at a retry', async () => {
  const campaign = await cityPush();
  const { applicationId } = campaign;
  await changeCity(applicationId, 'Ulm');

  const bodies = await attempts(campaign, [FAILING, { status: 'sent' }], () =>
    changeCity(applicationId, 'Bonn'),
  );

  expect(bodies).toEqual(Array(4).fill('Ulm'));
  expect(await recordsOf(campaign)).toHaveLength(1);
});

test('of two devices with other words the one that is marked later is not sent to', async () => {
  const campaign = await cityPush();
  await changeCity(campaign.applicationId, 'Ulm');
  const worker = testWorker(db, scriptedChannel(), { channelName: 'WEB_PUSH' });
  const { deliveries } = await worker.statements.bulk.claim(chunkOf(campaign));
  const [first, second] = deliveries;
  if (first === undefined || second === undefined) throw new Error('two addresses were expected');
  const data = (words: string) => ({
    words,
    values: '{}',
    renderedAt: 1,
    templateNo: 0,
    variantNo: null,
    renderer: 1,
  });
  const [words, others] = [systemIds.uuid(), systemIds.uuid()];

  const [one] = await markGroupsSending(db, [[{ ...first, data: data(words) }]], 30_000);
  const [two] = await markGroupsSending(db, [[{ ...second, data: data(others) }]], 30_000);
  const [three] = await markGroupsSending(db, [[{ ...second, data: data(words) }]], 30_000);

  expect([one?.size, two?.size, three?.size]).toEqual([1, 0, 1]);
  expect((await recordsOf(campaign)).map((record) => record.words)).toEqual([words]);
});
