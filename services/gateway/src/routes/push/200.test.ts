import { expect, test } from '@jest/globals';
import type { PushAccepted } from '@tidings/contracts/push/campaigns';
import { isUuid } from '@tidings/platform';
import { SERVER_HEADERS, startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const email = {
  recipients: ['u1', 'u2', 'u1'],
  channel: 'EMAIL',
  message: { title: 'Hello', body: '<p>Hi</p>' },
};
const push = (gateway: TestGateway, body: unknown, path = '/push') =>
  gateway.post(body, { path, headers: SERVER_HEADERS });

test.each(['/push', '/v1/push', '/push/', '/push?x=1'])(
  'a campaign is stored, announced and named: %s',
  async (path) => {
    await using gateway = await startTestGateway();

    const { status, headers, body } = await push(gateway, email, path);

    const { campaignId } = body as { campaignId: string };
    expect(status).toBe(200);
    expect(isUuid(campaignId)).toBe(true);
    expect(body).toEqual({
      campaignId,
      status: 'queued',
      channel: 'EMAIL',
      recipients: { requested: 3, unique: 2 },
      createdAt: gateway.clock.now(),
      requestId: headers.get('X-Request-Id'),
      warnings: [],
    });
    expect(headers.get('Location')).toBe(`/api/v1/campaigns/${campaignId}`);
    expect(gateway.announced).toEqual([campaignId]);
    expect(gateway.campaigns).toMatchObject([
      {
        campaignId,
        channel: 'EMAIL',
        purpose: 'transactional',
        source: 'api',
        createdBy: 'key:test key',
        message: email.message,
      },
    ]);
  },
);

test('fields of other channels and unknown ones are left out with a warning, those of null without', async () => {
  await using gateway = await startTestGateway();

  const { body } = await push(gateway, {
    ...email,
    at: 1,
    none: null,
    purpose: null,
    dryRun: false,
    message: { ...email.message, url: 'https://a', icon: null, title: null },
  });

  expect(body).toMatchObject({
    warnings: [
      { code: 'unknown_field', pointer: '/at' },
      {
        code: 'unsupported_field',
        pointer: '/message/url',
        detail: 'EMAIL does not support this field; it was ignored.',
      },
    ],
  });
  expect(gateway.campaigns[0]?.message).toEqual({ body: '<p>Hi</p>' });
});

test('an unknown placeholder gets a warning and is sent literally', async () => {
  await using gateway = await startTestGateway();
  const message = {
    title: 'Hello {{firstName}}',
    body: '<p>Hello</p><a href="{{unsubscribeUrl}}">Unsubscribe</a>',
  };

  const { status, body, text } = await push(gateway, { ...email, message });

  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'queued',
    warnings: [
      { code: 'unknown_placeholder', pointer: '/message/title', detail: expect.any(String) },
    ],
  });
  expect(text).not.toContain('firstName');
  expect(gateway.campaigns[0]?.message).toEqual(message);
});

test('an unsubscribe link is filled in wherever it stands, so it gets no warning', async () => {
  await using gateway = await startTestGateway();

  const { body } = await push(gateway, {
    ...email,
    message: {
      body: '<p>{{ unsubscribeUrl }}</p><a href="{{unsubscribeUrl}}&l=de">x</a><!-- {{unsubscribeUrl}} -->',
    },
  });

  expect((body as PushAccepted).warnings).toEqual([]);
});

test('one that is escaped in JSON is found too; ignored fields are not checked', async () => {
  await using gateway = await startTestGateway();

  const { body } = await push(
    gateway,
    String.raw`{"recipients":["u1"],"channel":"SMS","message":{"body":"\u007b\u007bname}}","title":"{{x}}"}}`,
  );

  expect((body as PushAccepted).warnings.map(({ code, pointer }) => `${pointer} ${code}`)).toEqual([
    '/message/title unsupported_field',
    '/message/body unknown_placeholder',
  ]);
});

test('a warning does not repeat a name of 30,000 characters', async () => {
  await using gateway = await startTestGateway();
  const name = 'k'.repeat(30_000);

  const { body } = await push(gateway, {
    ...email,
    [name]: 1,
    message: { ...email.message, [name]: 1 },
  });

  expect(body).toMatchObject({ warnings: [{ pointer: '' }, { pointer: '/message' }] });
});

test('a message of 16 levels, and a field that is ignored of any depth, with half a character', async () => {
  await using gateway = await startTestGateway();
  const nested = (levels: number) =>
    '{"a":'.repeat(levels) + String.raw`"\ud800"` + '}'.repeat(levels);

  const { status } = await push(
    gateway,
    `{"recipients":["u1"],"channel":"APP_PUSH","message":{"body":"b","customContent":${nested(15)}},"other":${nested(20_000)}}`,
  );

  expect(status).toBe(200);
});
