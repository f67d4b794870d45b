import { afterAll, describe, expect, test } from '@jest/globals';
import { listSuppressions } from '@tidings/people/suppressions';
import { complaintAbout, createReportedMail, dsnAbout, postReport } from '../../testing/reports.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db } = api;
type Mail = Awaited<ReturnType<typeof createReportedMail>>;
const suppressed = async (applicationId: string) =>
  (await listSuppressions(db, applicationId, { limit: 10 })).map(({ address, reason }) => [
    address,
    reason,
  ]);

describe('a bounce turns a success into a failure', () => {
  test.each([
    ['5.1.1', 'invalid_address', true],
    ['5.1.10', 'invalid_address', true],
    ['5.2.1', 'invalid_address', true],
    ['5.7.1', 'provider_rejected', false],
    ['5.2.2', 'provider_unavailable', false],
    ['4.4.7', 'provider_unavailable', false],
    ['5.3.4', 'payload_too_large', false],
  ])('%s: %s; nothing more is sent to the address: %s', async (status, reason, isHard) => {
    const mail = await createReportedMail(db);

    expect((await postReport(api.url, mail, dsnAbout(mail, { status }))).status).toBe(204);

    expect(await mail.read()).toMatchObject({
      status: 'failed',
      reason,
      providerCode: status,
      bounce: { class: expect.any(String), evidence: status },
    });
    expect(await mail.counts()).toMatchObject({ total: 1, successful: 0, failed: 1 });
    expect(await mail.events()).toContain('delivery.bounced');
    expect(await suppressed(mail.applicationId)).toEqual(
      isHard ? [['ada@example.org', 'suppressed_bounce']] : [],
    );
  });

  test('also when only the diagnostic text has the code', async () => {
    const mail = await createReportedMail(db);

    await postReport(
      api.url,
      mail,
      dsnAbout(mail, { status: '5.0.0', diagnostic: 'smtp; 550 5.1.1 no such user' }),
    );

    expect(await mail.read()).toMatchObject({
      status: 'failed',
      reason: 'invalid_address',
      providerCode: '5.1.1',
    });
  });

  test.each([
    [
      '5.4.1',
      'smtp;550 5.4.1 Recipient address rejected: Access denied. AS(000000000) [X.prod]',
      'no_mailbox',
    ],
    ['5.0.0', 'smtp; 550 Unknown User', 'no_mailbox'],
    ['5.1.0', 'smtp; 550 5.1.0 <bounce@cases.example> sender rejected. Code AUP-1310', 'refused'],
    [
      '5.0.0',
      'smtp; 554 Service unavailable; Client host [194.5.1.10] blocked by a list',
      'refused',
    ],
    ['5.1.1', 'smtp; 550 5.1.1 too many recipients this hour', 'policy'],
    ['5.2.2', 'smtp; 552 5.2.2 mailbox full', 'mailbox_full'],
    ['4.4.7', 'smtp; 450 4.4.7 delivery time expired', 'temporary'],
  ])(
    '%s %s: %s, which alone suppresses if there is no mailbox',
    async (status, diagnostic, meaning) => {
      const mail = await createReportedMail(db);

      await postReport(api.url, mail, dsnAbout(mail, { status, diagnostic }));

      expect(await mail.read()).toMatchObject({
        status: 'failed',
        bounce: {
          class: meaning,
          evidence: expect.stringContaining(status === '5.0.0' ? '"' : status),
        },
      });
      expect((await mail.record())?.bounces).toEqual({ [meaning]: 1 });
      expect(await suppressed(mail.applicationId)).toEqual(
        meaning === 'no_mailbox' ? [['ada@example.org', 'suppressed_bounce']] : [],
      );
    },
  );

  test('also without a report, in the words of the mail server', async () => {
    for (const headers of [
      'From: Mail Delivery System <Mailer-Daemon@mx.example.net>\r\nAuto-Submitted: auto-replied\r\nX-Failed-Recipients: Ada@example.org',
      'From: mailer-daemon@mx.example.net\r\nSubject: Message undeliverable: c',
    ]) {
      const mail = await createReportedMail(db);

      await postReport(
        api.url,
        mail,
        `${headers}\r\nTo: bounce+${mail.returnToken}@bounces.example.com\r\n\r\nThe following recipient(s) could not be reached:\r\n\r\nAda@example.org\r\n   Remote server replied: 550 5.1.1 User unknown\r\n`,
      );

      expect(await mail.read()).toMatchObject({
        status: 'failed',
        reason: 'invalid_address',
        providerCode: '5.1.1',
        bounce: { class: 'no_mailbox', evidence: '5.1.1 "user unknown"' },
      });
      expect(await mail.events()).toContain('delivery.bounced');
      expect(await suppressed(mail.applicationId)).toEqual([
        ['ada@example.org', 'suppressed_bounce'],
      ]);
    }
  });

  test('also when the response to the mail was lost: it was accepted, then bounced', async () => {
    const mail = await createReportedMail(db, { state: 'unknown' });

    await postReport(api.url, mail, dsnAbout(mail, {}));

    expect(await mail.read()).toMatchObject({ status: 'failed', reason: 'invalid_address' });
  });

  test('the log contains no e-mail address', async () => {
    const mail = await createReportedMail(db);

    await postReport(
      api.url,
      mail,
      dsnAbout(mail, { diagnostic: 'smtp; 550 5.1.1 <ada@example.org>: unknown' }),
    );
    const { rows } = await db.sql.query<{ detail: string | null }>(
      `select detail from campaign_events where campaign_id = $1`,
      [mail.campaignId],
    );

    expect(JSON.stringify([rows, await mail.read()])).not.toContain('ada@');
    expect(JSON.stringify(rows)).toContain('unknown');
  });
});

describe('the mail is found', () => {
  test('by the return address of the report, in any letter case', async () => {
    const mail = await createReportedMail(db);

    await postReport(
      api.url,
      mail,
      dsnAbout(mail, {
        to: `BOUNCE+${mail.returnToken.toUpperCase()}@bounces.example.com`,
        headers: 'Subject: Hello',
      }),
    );

    expect(await mail.read()).toMatchObject({ status: 'failed' });
  });

  test('by the header that the report returns', async () => {
    const mail = await createReportedMail(db);

    await postReport(api.url, mail, dsnAbout(mail, { to: 'shop@example.com' }));

    expect(await mail.read()).toMatchObject({ status: 'failed' });
  });
});

test('a delay is logged and stays a success', async () => {
  const mail = await createReportedMail(db);

  await postReport(api.url, mail, dsnAbout(mail, { action: 'delayed', status: '4.2.2' }));

  expect(await mail.read()).toMatchObject({ status: 'sent' });
  expect(await mail.events()).toContain('delivery.bounce_delayed');
  expect(await mail.read()).toMatchObject({ bounce: null });
  expect((await mail.record())?.bounces).toEqual({});
  expect(await suppressed(mail.applicationId)).toEqual([]);
});

describe('a report never reverts an outcome', () => {
  test.each(['failed', 'canceled', 'expired', 'opened', 'clicked'] as const)(
    '%s stays',
    async (state) => {
      const mail = await createReportedMail(db, { state });
      const before = await mail.read();

      await postReport(api.url, mail, dsnAbout(mail, {}));

      expect(await mail.read()).toEqual(before);
    },
  );

  test('of an earlier attempt it changes nothing', async () => {
    const mail = await createReportedMail(db);
    await db.sql.query('update deliveries set fence = fence + 1 where id = $1', [mail.deliveryId]);

    expect((await postReport(api.url, mail, dsnAbout(mail, {}))).status).toBe(204);

    expect(await mail.read()).toMatchObject({ status: 'sent' });
  });

  test('told twice it is one failure', async () => {
    const mail = await createReportedMail(db);

    for (let round = 0; round < 2; round += 1) await postReport(api.url, mail, dsnAbout(mail, {}));

    expect(await mail.counts()).toMatchObject({ failed: 1, successful: 0 });
    expect(await suppressed(mail.applicationId)).toHaveLength(1);
  });
});

test('a complaint is noted beside the success, and nothing more is sent to the address', async () => {
  const mail = await createReportedMail(db);

  for (let round = 0; round < 2; round += 1)
    expect((await postReport(api.url, mail, complaintAbout(mail))).status).toBe(204);

  expect(await mail.read()).toMatchObject({ status: 'sent' });
  expect(await mail.counts()).toMatchObject({ complained: 1, successful: 1 });
  expect((await mail.events()).filter((type) => type === 'delivery.complained')).toHaveLength(1);
  expect(await suppressed(mail.applicationId)).toEqual([
    ['ada@example.org', 'suppressed_complaint'],
  ]);
});

describe('what is suppressed is the address that the mail went to', () => {
  const hasMoved = async ({ applicationId }: { readonly applicationId: string }, email: string) => {
    await db.sql.query(
      `update users set fields = fields || jsonb_build_object('email', $2::text) where application_id = $1`,
      [applicationId, email],
    );
  };

  test.each([
    [
      'a bounce',
      (mail: Mail, recipient?: string) => dsnAbout(mail, { recipient: recipient ?? '' }),
      'suppressed_bounce',
    ],
    [
      'a complaint',
      (mail: Mail, recipient?: string) =>
        complaintAbout(mail, recipient === undefined ? {} : { recipient }),
      'suppressed_complaint',
    ],
  ])('%s after the user changed the address', async (_name, reportOf, reason) => {
    const [silent, named, lying] = await Promise.all([
      createReportedMail(db),
      createReportedMail(db),
      createReportedMail(db),
    ]);
    for (const mail of [silent, named, lying]) await hasMoved(mail, 'ada@new.example');

    await postReport(api.url, silent, reportOf(silent));
    await postReport(api.url, named, reportOf(named, 'ADA@example.org'));
    await postReport(api.url, lying, reportOf(lying, 'ada@new.example'));

    expect(await suppressed(silent.applicationId)).toEqual([]);
    expect(await suppressed(named.applicationId)).toEqual([['ada@example.org', reason]]);
    expect(await suppressed(lying.applicationId)).toEqual([]);
  });

  test('the outcome of the mail changes nevertheless', async () => {
    const mail = await createReportedMail(db);
    await hasMoved(mail, 'ada@new.example');

    await postReport(api.url, mail, dsnAbout(mail, { recipient: '' }));

    expect(await mail.read()).toMatchObject({ status: 'failed', reason: 'invalid_address' });
  });

  test('a report without a recipient, for an unchanged address', async () => {
    const mail = await createReportedMail(db);

    await postReport(api.url, mail, dsnAbout(mail, { recipient: '' }));

    expect(await suppressed(mail.applicationId)).toEqual([
      ['ada@example.org', 'suppressed_bounce'],
    ]);
  });
});

describe('nothing changes by', () => {
  test.each([
    ['an answer of a person', 'From: ada@example.org\r\nSubject: Re: Hello\r\n\r\nThank you'],
    [
      'an out-of-office message',
      'From: ada@example.org\r\nAuto-Submitted: auto-replied\r\nSubject: Automatic reply: Hello\r\n\r\nI am away. 550 5.1.1 user unknown',
    ],
    ['nothing', ''],
    ['no MIME at all', '\0\u0001'],
  ])('%s', async (_name, body) => {
    const mail = await createReportedMail(db);

    expect((await postReport(api.url, mail, `${mail.returnHeader}\r\n${body}`)).status).toBe(204);
    expect(await mail.read()).toMatchObject({ status: 'sent' });
  });

  test.each([
    [
      'a feedback of another kind',
      (mail: Parameters<typeof complaintAbout>[0]) =>
        complaintAbout(mail, { feedbackType: 'not-spam' }),
    ],
    [
      'a mail that arrived',
      (mail: Parameters<typeof complaintAbout>[0]) =>
        dsnAbout(mail, { action: 'relayed', status: '2.0.0' }),
    ],
  ])('%s', async (_name, reportOf) => {
    const mail = await createReportedMail(db);

    expect((await postReport(api.url, mail, reportOf(mail))).status).toBe(204);
    expect(await mail.read()).toMatchObject({ status: 'sent' });
    expect(await suppressed(mail.applicationId)).toEqual([]);
  });
});
