import { afterAll, describe, expect, test } from '@jest/globals';
import { readReachability } from '@tidings/people/reachability';
import { registerUsers } from '@tidings/testing';
import {
  createSmsApplication,
  FROM,
  putAccountBefore,
  startTestClientApi,
} from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
const { db } = api;
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

const PHONE = '+4915112345001';
const PATH = '/cb/sms/twilio/inbound';

const say = async (
  accountSid: string,
  Body: string,
  more: Readonly<Record<string, string>> = {},
) => {
  const answer = await api.post(PATH, {
    AccountSid: accountSid,
    MessageSid: 'SM1',
    From: PHONE,
    To: FROM,
    Body,
    ...more,
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/xml; charset=utf-8',
  ]);
  return answer.text();
};
/** The reason why an SMS would not reach the phone's owner now. */
const reasonOf = async (applicationId: string) => {
  const { reasons } = await readReachability(db, {
    purpose: 'transactional',
    applicationId,
    channel: 'SMS',
    recipients: ['ada'],
  });
  return reasons[0];
};

async function withAda(settings: Readonly<Record<string, string>> = {}) {
  const application = await createSmsApplication(db, settings);
  await registerUsers(db, application.applicationId, {
    ada: { phoneNumber: PHONE, phoneE164: PHONE },
  });
  return application;
}

test('a STOP to the number of a further account ends all messages', async () => {
  const application = await withAda();
  await putAccountBefore(db, application);

  await say(application.accountSid, 'STOP');

  expect(await reasonOf(application.applicationId)).toBe('sms_stop');
});

describe('an inbound SMS', () => {
  test.each([
    'STOP',
    'stop',
    ' Stop\n',
    'STOPALL',
    'UNSUBSCRIBE',
    'CANCEL',
    'END',
    'QUIT',
    'REVOKE',
    'OPTOUT',
  ])('%j ends all messages', async (word) => {
    const { applicationId, accountSid } = await withAda();
    expect(await reasonOf(applicationId)).toBeNull();

    expect(await say(accountSid, word)).toContain('<Response/>');

    expect(await reasonOf(applicationId)).toBe('sms_stop');
  });

  test.each(['START', 'yes', 'UNSTOP'])(
    '%j after STOP allows messages again; repeats change nothing',
    async (word) => {
      const { applicationId, accountSid } = await withAda();

      for (const said of ['STOP', 'STOP', word, word]) await say(accountSid, said);

      expect(await reasonOf(applicationId)).toBeNull();
    },
  );

  test.each(['HELP', 'INFO', 'STOP it, please', 'Where is my order?', ''])(
    '%j changes nothing',
    async (text) => {
      const { applicationId, accountSid } = await withAda();

      await say(accountSid, text);

      expect(await reasonOf(applicationId)).toBeNull();
    },
  );

  test('a keyword of another language, which Twilio interpreted', async () => {
    const { applicationId, accountSid } = await withAda();

    await say(accountSid, 'ARRÊT', { OptOutType: 'STOP' });

    expect(await reasonOf(applicationId)).toBe('sms_stop');
  });
});

describe('STOP applies to the applications that send from the number', () => {
  test('to both that share it, and to none that sends from another number of the account', async () => {
    const first = await withAda();
    const { accountSid } = first;
    const [second, elsewhere] = [
      await withAda({ accountSid }),
      await withAda({ accountSid, from: '+15005550007' }),
    ];

    await say(accountSid, 'STOP');

    expect([
      await reasonOf(first.applicationId),
      await reasonOf(second.applicationId),
      await reasonOf(elsewhere.applicationId),
    ]).toEqual(['sms_stop', 'sms_stop', null]);
  });

  test('by messaging service', async () => {
    const messagingServiceSid = `MG${'1'.repeat(32)}`;
    const { applicationId, accountSid } = await withAda({ messagingServiceSid });

    await say(accountSid, 'STOP', { MessagingServiceSid: `MG${'2'.repeat(32)}` });
    expect(await reasonOf(applicationId)).toBeNull();

    await say(accountSid, 'STOP', { MessagingServiceSid: messagingServiceSid });
    expect(await reasonOf(applicationId)).toBe('sms_stop');
  });
});
