import { describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { startTestSandbox } from '../../testing/test-sandbox.ts';
import {
  ACCOUNT_SID,
  FROM,
  startApplication,
  createTwilioClient,
} from '../../testing/twilio-client.ts';

const TO = '+4915112345001';
const message = { to: TO, from: FROM, body: 'Grüße 👋' };
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => error,
  );

describe('a message of Twilio’s own client', () => {
  test('is stored with the ids of its callback URL, and returned', async () => {
    await using sandbox = await startTestSandbox();
    const { messages } = createTwilioClient(sandbox.url);

    const sent = await messages.create({
      ...message,
      statusCallback: 'http://127.0.0.1:1/cb?d=delivery-1.3.mac&c=campaign-1',
    });

    expect(sent).toMatchObject({
      status: 'queued',
      to: TO,
      from: FROM,
      body: 'Grüße 👋',
      numSegments: '1',
      accountSid: ACCOUNT_SID,
    });
    expect(await sandbox.messages('?channel=SMS&campaignId=campaign-1')).toMatchObject({
      count: 1,
      messages: [
        {
          to: TO,
          deliveryId: 'delivery-1',
          campaignId: 'campaign-1',
          body: 'Grüße 👋',
          data: { sid: sent.sid, encoding: 'UCS-2', segments: 1 },
        },
      ],
    });
    expect((await messages(sent.sid).fetch()).sid).toBe(sent.sid);
    expect(await failureOf(messages(`SM${'0'.repeat(32)}`).fetch())).toMatchObject({
      status: 404,
      code: 20404,
    });
  });

  test('is listed by number and time, also after a restart', async () => {
    await using first = await startTestSandbox();
    const sent = await createTwilioClient(first.url).messages.create(message);
    await createTwilioClient(first.url).messages.create({ ...message, to: '+4915112345002' });
    await first.stop();

    await using second = await startTestSandbox({ dataDir: first.dataDir });
    const { messages } = createTwilioClient(second.url);

    expect(
      (await messages.list({ to: TO, dateSentAfter: new Date(Date.now() - 60_000) })).map(
        ({ sid }) => sid,
      ),
    ).toEqual([sent.sid]);
    expect(await messages.list({ to: TO, dateSentAfter: new Date(Date.now() + 60_000) })).toEqual(
      [],
    );
    await eventually(async () =>
      expect((await messages(sent.sid).fetch()).status).toBe('delivered'),
    );
  });

  test.each([
    ['21604', { ...message, to: '' }],
    ['21211', { ...message, to: 'no-number' }],
    ['21211', { ...message, to: '+15005550001' }],
    ['21614', { ...message, to: '+15005550009' }],
    ['21610', { ...message, to: '+15005550004' }],
    ['21602', { ...message, body: '' }],
    ['21617', { ...message, body: 'x'.repeat(1_601) }],
  ])('%s for %j', async (code, refused) => {
    await using sandbox = await startTestSandbox();

    expect(await failureOf(createTwilioClient(sandbox.url).messages.create(refused))).toMatchObject(
      {
        status: 400,
        code: Number(code),
      },
    );
    expect((await sandbox.counts()).total).toBe(0);
  });

  test('without credentials is rejected', async () => {
    await using sandbox = await startTestSandbox();

    expect(
      (await sandbox.request('POST', `/2010-04-01/Accounts/${ACCOUNT_SID}/Messages.json`)).status,
    ).toBe(401);
  });
});

describe('status callbacks', () => {
  test('are signed like Twilio’s, and report sent, then delivered', async () => {
    await using application = await startApplication();
    await using sandbox = await startTestSandbox();

    const { sid } = await createTwilioClient(sandbox.url).messages.create({
      ...message,
      statusCallback: `${application.url}/cb/status?d=a.b&c=d`,
    });

    await eventually(() =>
      expect(application.calls.map(({ form }) => form['MessageStatus'])).toEqual([
        'sent',
        'delivered',
      ]),
    );
    for (const { isSigned, form, url } of application.calls) {
      expect([isSigned, form['MessageSid'], url]).toEqual([
        true,
        sid,
        `${application.url}/cb/status?d=a.b&c=d`,
      ]);
    }
  });

  test('of a message that a carrier rejects report undelivered, with the code', async () => {
    await using application = await startApplication();
    await using sandbox = await startTestSandbox();
    await sandbox.request('POST', '/api/faults', {
      channel: 'SMS',
      kind: 'reject',
      rate: 1,
      code: '30005',
    });

    await createTwilioClient(sandbox.url).messages.create({
      ...message,
      statusCallback: `${application.url}/cb`,
    });

    await eventually(() =>
      expect(application.calls[1]?.form).toMatchObject({
        MessageStatus: 'undelivered',
        ErrorCode: '30005',
      }),
    );
  });
});

describe('faults', () => {
  test.each([
    [{ kind: 'reject' }, { status: 400, code: 21211 }],
    [
      { kind: 'reject', code: '21610' },
      { status: 400, code: 21610 },
    ],
    [
      { kind: 'status', status: 429, retryAfterSeconds: 2 },
      { status: 429, code: 20429 },
    ],
    [
      { kind: 'status', status: 503 },
      { status: 503, code: 20503 },
    ],
    [
      { kind: 'status', status: 400, code: '21408' },
      { status: 400, code: 21408 },
    ],
  ])('%j rejects, and nothing is stored', async (fault, failure) => {
    await using sandbox = await startTestSandbox();
    await sandbox.request('POST', '/api/faults', { channel: 'SMS', rate: 1, ...fault });

    expect(await failureOf(createTwilioClient(sandbox.url).messages.create(message))).toMatchObject(
      failure,
    );
    expect((await sandbox.counts()).total).toBe(0);
  });

  test.each([
    ['drop_reply', 1],
    ['reset', 0],
  ])('%s sends no response; stored: %i', async (kind, kept) => {
    await using sandbox = await startTestSandbox();
    await sandbox.request('POST', '/api/faults', { channel: 'SMS', rate: 1, kind });

    expect(await failureOf(createTwilioClient(sandbox.url).messages.create(message))).toMatchObject(
      {
        message: expect.stringMatching(/socket hang up|ECONNRESET/),
      },
    );
    expect((await sandbox.counts('?channel=SMS')).total).toBe(kept);
  });
});
