import { afterAll, describe, expect, test } from '@jest/globals';
import { listSuppressions } from '@tidings/db';
import { createReportedMail, dsnAbout, postReport } from '../../testing/reports.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, url } = api;
type Mail = Awaited<ReturnType<typeof createReportedMail>>;

describe('S59 who cannot sign in is told one thing, and nothing changes', () => {
  test.each<[string, (mail: Mail, other: Mail) => Promise<Response>]>([
    ['no credentials', (mail) => fetch(`${url}/cb/email/dsn`, { method: 'POST', body: dsnAbout(mail, {}) })],
    ['another secret', (mail) => postReport(url, { ...mail, secret: 'another secret of 16' }, dsnAbout(mail, {}))],
    ['an empty secret', (mail) => postReport(url, { ...mail, secret: '' }, dsnAbout(mail, {}))],
    ['an application that is none', (mail) => postReport(url, { ...mail, applicationId: 'x' }, dsnAbout(mail, {}))],
    ['another application’s secret', (mail, other) => postReport(url, { ...mail, secret: other.secret }, dsnAbout(mail, {}))],
    ['a bearer', (mail) => fetch(`${url}/cb/email/dsn`, { method: 'POST', body: dsnAbout(mail, {}), headers: { Authorization: `Bearer ${mail.secret}` } })],
  ])('%s', async (_name, attack) => {
    const [mail, other] = await Promise.all([createReportedMail(db, { secret: 'the secret of the one' }), createReportedMail(db, { secret: 'the secret of the other' })]);

    const answer = await attack(mail, other);

    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([403, null]);
    expect(await answer.json()).toMatchObject({ code: 'forbidden', detail: 'The credentials of this request are not valid.' });
    expect(await mail.read()).toMatchObject({ status: 'sent' });
    expect(await listSuppressions(db, mail.applicationId, { limit: 1 })).toEqual([]);
  });

  test('an application whose settings have no secret', async () => {
    const mail = await createReportedMail(db, { secret: '' });

    expect((await postReport(url, mail, dsnAbout(mail, {}))).status).toBe(403);
  });
});

describe('who can sign in changes only mails of his own, by tokens of ours', () => {
  test.each<[string, (mail: Mail, other: Mail) => string]>([
    ['another application’s mail', (_mail, other) => dsnAbout(other, {})],
    ['a token that nobody signed', (mail) => dsnAbout({ returnToken: `${mail.returnToken.slice(0, -25)}${'0'.repeat(25)}` }, {})],
    ['an id alone', (mail) => dsnAbout({ returnToken: 'none' }, { headers: `X-Tidings-Delivery: ${mail.deliveryId}` })],
  ])('%s', async (_name, reportOf) => {
    const [mail, other] = await Promise.all([createReportedMail(db), createReportedMail(db)]);

    expect((await postReport(url, mail, reportOf(mail, other))).status).toBe(204);

    expect([await mail.read(), await other.read()]).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
    expect(await listSuppressions(db, other.applicationId, { limit: 1 })).toEqual([]);
  });
});

test('more than a mail may be is refused; before the credentials nothing of it is read', async () => {
  const mail = await createReportedMail(db);

  expect((await postReport(url, mail, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
  expect((await postReport(url, { ...mail, secret: 'another secret of 16' }, 'x'.repeat(1024 * 1024 + 1))).status).toBe(403);
});
