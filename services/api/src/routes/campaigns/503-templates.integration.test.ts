import { afterAll, expect, test } from '@jest/globals';
import { acceptCampaign } from '@tidings/delivery/accept';
import { createOwnDatabase, newCampaign, registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

// A table is locked.
const api = await startTestApi({}, await createOwnDatabase({ poolMax: 6 }));
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer: headers } = api;
const { applicationId } = tenant;

test('a variant whose condition takes too long is asked again later', async () => {
  await registerUsers(db, applicationId, { ada: {} });
  const message = { title: 'Hello', body: 'Hello' };
  const variants = [{ name: 'Active', condition: { event: 'abcde' }, message }];
  const campaign = newCampaign({
    applicationId,
    recipients: ['ada'],
    templates: [{ slug: 'hello', version: 1, share: 1, message, variants }],
  });
  await acceptCampaign(db, campaign);

  const answer = await db.transaction(async (sql) => {
    await sql.query('lock table events in access exclusive mode');
    return api.request('POST', `campaigns/${campaign.campaignId}/render`, {
      headers,
      body: { customUserId: 'ada' },
    });
  });

  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(answer.headers.get('retry-after')).toBe('5');
}, 20_000);
