import { expect, test } from '@jest/globals';
import { adminAccess, callApi } from '@tidings/install';
import type { VonageCredentials } from '@tidings/sandbox/src/providers/vonage/application.ts';
import { eventually } from '@tidings/testing';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient } from './support/client.ts';

const PHONE = '+447700900077';

test('an application changes its SMS to Vonage: tested, sent, delivered, and STOP is heard', async () => {
  const { local } = await shareTidings('Vonage');
  const admin = adminAccess(local.baseUrl, local);
  const client = createClient(local);
  const sandbox = { baseUrl: local.sandboxUrl, headers: {} };
  const credentials = await callApi<VonageCredentials>(sandbox, { path: '/vonage/application' });

  await callApi(admin, {
    method: 'PUT',
    path: '/api/v1/channels/SMS',
    body: {
      provider: 'vonage',
      ...credentials,
      from: '+15005550077',
      apiBaseUrl: local.sandboxUrl,
    },
  });
  const tested = await callApi(admin, {
    method: 'POST',
    path: '/api/v1/channels/SMS/test',
    body: { to: PHONE },
  });
  expect(tested).toMatchObject({ ok: true, status: 'sent', providerCode: '202' });

  const { body } = await client.submit({
    customUserId: 'vera',
    messages: [{ type: 'user', id: 'vera', time: Date.now(), phoneNumber: PHONE }],
  });
  await eventually(async () =>
    expect(await client.ingestReport(body.requestId)).toMatchObject({ complete: true }),
  );
  const push = () =>
    client.push({
      channel: 'SMS',
      purpose: 'transactional',
      recipients: ['vera'],
      message: { body: 'Your order is on its way' },
    });
  const outcomeOf = async ({ body: { campaignId } }: Awaited<ReturnType<typeof push>>) =>
    (await client.deliveries(campaignId))[0];
  const sent = await push();
  await eventually(async () =>
    expect(await outcomeOf(sent)).toMatchObject({ status: 'delivered', providerCode: 'delivered' }),
  );

  await callApi(sandbox, {
    method: 'POST',
    path: '/api/inbound',
    body: { from: PHONE, to: '+15005550077', body: 'STOP' },
  });
  const stopped = await push();
  await eventually(async () =>
    expect(await outcomeOf(stopped)).toMatchObject({ status: 'failed', reason: 'sms_stop' }),
  );
}, 120_000);
