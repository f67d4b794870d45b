import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { createSms, signer, startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

let sms: Awaited<ReturnType<typeof createSms>>;
let other: Awaited<ReturnType<typeof createSms>>;
beforeAll(async () => {
  [sms, other] = await Promise.all([createSms(api.db, 'unknown'), createSms(api.db, 'unknown')]);
});

type Attack = () => Promise<Response>;
const attacks: Readonly<Record<string, Attack>> = {
  'no signature': () => api.post(sms.path, sms.formOf('delivered'), { signature: '' }),
  'another signature': () =>
    api.post(sms.path, sms.formOf('delivered'), { signature: Buffer.alloc(20).toString('base64') }),
  'another token': () => api.post(sms.path, sms.formOf('delivered'), { token: 'another token' }),
  'a signature of another body': async () => {
    const twilio = await import('twilio');
    const signature = twilio.default.getExpectedTwilioSignature(
      'the token of the account',
      `https://tidings.example${sms.path}`,
      sms.formOf('sent'),
    );
    return api.post(sms.path, sms.formOf('delivered'), { signature });
  },
  'another host in the request than the public one': async () => {
    const twilio = await import('twilio');
    const signature = twilio.default.getExpectedTwilioSignature(
      'the token of the account',
      `https://evil.example${sms.path}`,
      sms.formOf('delivered'),
    );
    return api.post(sms.path, sms.formOf('delivered'), {
      signature,
      headers: { 'X-Forwarded-Host': 'evil.example' },
    });
  },
  'no id': () => api.post('/cb/sms/twilio/status', sms.formOf('delivered')),
  'an id of another delivery with this one’s signature': () =>
    api.post(sms.path.replace(sms.deliveryId, other.deliveryId), sms.formOf('delivered')),
  'an unsigned id': () =>
    api.post(
      `/cb/sms/twilio/status?d=${sms.deliveryId}.1.AAAAAAAAAAAAAAAAAAAAAA`,
      sms.formOf('delivered'),
    ),
  'a signed id of nothing': () =>
    api.post(
      `/cb/sms/twilio/status?d=${signer.sign(systemIds.uuid(), '1')}`,
      sms.formOf('delivered'),
    ),
  'a signed id that is none': () =>
    api.post(`/cb/sms/twilio/status?d=${signer.sign('x', '1')}`, sms.formOf('delivered')),
};

test.each(Object.keys(attacks))('%s: one answer, and nothing changes', async (name) => {
  const answer = await attacks[name]?.();

  expect(answer?.status).toBe(403);
  expect(await answer?.json()).toMatchObject({
    code: 'forbidden',
    detail: 'The request signature is invalid.',
  });
  expect(await sms.read()).toMatchObject({ status: 'unknown' });
  expect(await other.read()).toMatchObject({ status: 'unknown' });
});
