import { afterAll, describe, expect, test } from '@jest/globals';
import { createWrongKeys, type WrongKeys } from '@tidings/access';
import { listSuppressions } from '@tidings/people/suppressions';
import { systemClock } from '@tidings/platform';
import { createReportedMail, dsnAbout, postReport } from '../../testing/reports.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, url } = api;
type Mail = Awaited<ReturnType<typeof createReportedMail>>;

describe('wrong credentials get one error, and nothing changes', () => {
  test.each<[string, (mail: Mail, other: Mail) => Promise<Response>]>([
    [
      'no credentials',
      (mail) => fetch(`${url}/cb/email/dsn`, { method: 'POST', body: dsnAbout(mail, {}) }),
    ],
    [
      'another secret',
      (mail) => postReport(url, { ...mail, secret: 'another secret of 16' }, dsnAbout(mail, {})),
    ],
    ['an empty secret', (mail) => postReport(url, { ...mail, secret: '' }, dsnAbout(mail, {}))],
    [
      'an application that is none',
      (mail) => postReport(url, { ...mail, applicationId: 'x' }, dsnAbout(mail, {})),
    ],
    [
      'another application’s secret',
      (mail, other) => postReport(url, { ...mail, secret: other.secret }, dsnAbout(mail, {})),
    ],
    [
      'a bearer',
      (mail) =>
        fetch(`${url}/cb/email/dsn`, {
          method: 'POST',
          body: dsnAbout(mail, {}),
          headers: { Authorization: `Bearer ${mail.secret}` },
        }),
    ],
  ])('%s', async (_name, attack) => {
    const [mail, other] = await Promise.all([
      createReportedMail(db, { secret: 'the secret of the one' }),
      createReportedMail(db, { secret: 'the secret of the other' }),
    ]);

    const answer = await attack(mail, other);

    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([403, null]);
    expect(await answer.json()).toMatchObject({
      code: 'forbidden',
      detail: 'The credentials are invalid.',
    });
    expect(await mail.read()).toMatchObject({ status: 'sent' });
    expect(await listSuppressions(db, mail.applicationId, { limit: 1 })).toEqual([]);
  });

  test('an application without a bounce secret', async () => {
    const mail = await createReportedMail(db, { secret: '' });

    expect((await postReport(url, mail, dsnAbout(mail, {}))).status).toBe(403);
  });
});

describe('valid credentials change only mails of the own application, by signed tokens', () => {
  test.each<[string, (mail: Mail, other: Mail) => string]>([
    ['another application’s mail', (_mail, other) => dsnAbout(other, {})],
    [
      'an unsigned token',
      (mail) => dsnAbout({ returnToken: `${mail.returnToken.slice(0, -25)}${'0'.repeat(25)}` }, {}),
    ],
    [
      'an id alone',
      (mail) =>
        dsnAbout({ returnToken: 'none' }, { headers: `X-Tidings-Delivery: ${mail.deliveryId}` }),
    ],
  ])('%s', async (_name, reportOf) => {
    const [mail, other] = await Promise.all([createReportedMail(db), createReportedMail(db)]);

    expect((await postReport(url, mail, reportOf(mail, other))).status).toBe(204);

    expect([await mail.read(), await other.read()]).toMatchObject([
      { status: 'sent' },
      { status: 'sent' },
    ]);
    expect(await listSuppressions(db, other.applicationId, { limit: 1 })).toEqual([]);
  });
});

describe('callers that guess secrets are delayed', () => {
  /**
   * Like the service, but with two free attempts. `waits` records for each attempt whether it was
   * delayed.
   */
  const recordingWrongKeys = () => {
    const wrongKeys = createWrongKeys({ clock: systemClock, freeMax: 2, delayMs: 1 });
    const waits: boolean[] = [];
    const note: WrongKeys['note'] = (guess, res) => {
      const wait = wrongKeys.note(guess, res);
      waits.push(wait !== null);
      return wait;
    };
    return { ...wrongKeys, note, waits };
  };

  test.each<
    [string, (mail: Mail, at: number) => { readonly applicationId: string; readonly from: string }]
  >([
    [
      'of one application, from many addresses',
      ({ applicationId }, at) => ({ applicationId, from: `192.0.2.${at}` }),
    ],
    [
      'from one address, of many applications',
      (_mail, at) => ({
        applicationId: `01a1fda0-7f01-73ac-9ab1-82b6d356909${at}`,
        from: '198.51.100.1',
      }),
    ],
  ])('%s', async (_name, guessOf) => {
    const wrongKeys = recordingWrongKeys();
    await using slow = await startTestClientApi({ trustedProxies: ['127.0.0.1'], wrongKeys });
    const mail = await createReportedMail(db);

    for (let at = 0; at < 4; at += 1) {
      const { applicationId, from } = guessOf(mail, at);
      const answer = await postReport(
        slow.url,
        { applicationId, secret: `a guess, number ${at}`, headers: { 'X-Forwarded-For': from } },
        dsnAbout(mail, {}),
      );
      expect([answer.status, await answer.json()]).toMatchObject([
        403,
        { code: 'forbidden', detail: 'The credentials are invalid.' },
      ]);
    }

    expect(wrongKeys.waits).toEqual([false, false, true, true]);
    expect(
      (
        await postReport(
          slow.url,
          { ...mail, headers: { 'X-Forwarded-For': '198.51.100.1' } },
          dsnAbout(mail, {}),
        )
      ).status,
    ).toBe(204);
    expect(wrongKeys.waits).toHaveLength(4);
  });
});

test('an oversized mail is rejected; without valid credentials the body is not read', async () => {
  const mail = await createReportedMail(db);

  expect((await postReport(url, mail, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
  expect(
    (
      await postReport(
        url,
        { ...mail, secret: 'another secret of 16' },
        'x'.repeat(1024 * 1024 + 1),
      )
    ).status,
  ).toBe(403);
});
