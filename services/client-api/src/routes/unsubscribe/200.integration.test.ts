import { afterAll, describe, expect, test } from '@jest/globals';
import { listSuppressions } from '@tidings/people/suppressions';
import { createMail } from '../../testing/mails.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, url } = api;
type Mail = Awaited<ReturnType<typeof createMail>>;
const get = (mail: Mail, init: RequestInit = {}) => fetch(`${url}${mail.unsubscribePath}`, init);
const post = (mail: Mail, form: string | FormData) =>
  fetch(`${url}${mail.unsubscribePath}`, {
    method: 'POST',
    redirect: 'manual',
    body: form,
    ...(typeof form === 'string' && {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  });
const suppressed = async ({ applicationId }: Mail) =>
  (await listSuppressions(db, applicationId, { limit: 10 }))
    .map(({ channel, address, reason }) => `${channel} ${address} ${reason}`)
    .toSorted();
const multipart = (): FormData => {
  const form = new FormData();
  form.set('List-Unsubscribe', 'One-Click');
  return form;
};

test('GET shows a page and changes nothing', async () => {
  const mail = await createMail(db);

  const answer = await get(mail);
  const page = await answer.text();
  await get(mail, { method: 'HEAD' });

  expect(answer.status).toBe(200);
  expect(page).toContain(
    '<button class="primary" name="action" value="unsubscribe">Unsubscribe</button>',
  );
  expect(await suppressed(mail)).toEqual([]);
  expect(await mail.counts()).toMatchObject({ unsubscribed: 0 });
});

test.each(['.', ')', '>,'])('punctuation behind the link does not matter: %s', async (text) => {
  const mail = await createMail(db);

  expect((await fetch(`${url}${mail.unsubscribePath}${encodeURIComponent(text)}`)).status).toBe(
    200,
  );
  await fetch(`${url}${mail.unsubscribePath}${text}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });

  expect(await suppressed(mail)).toEqual(['EMAIL ada@example.org unsubscribed']);
});

describe('one-click unsubscribes from marketing by e-mail (RFC 8058)', () => {
  test.each<[string, string | FormData]>([
    ['as a form', 'List-Unsubscribe=One-Click'],
    ['as multipart/form-data', multipart()],
    ['by the button of the page', 'action=unsubscribe'],
    ['with nothing in it', ''],
  ])('%s: without a redirect, without a cookie, as often as it comes', async (_name, form) => {
    const mail = await createMail(db, { phoneE164: '+4915112345001' });

    const answers = [await post(mail, form), await post(mail, form)];

    expect(
      answers.map(({ status, headers }) => [
        status,
        headers.get('location'),
        headers.get('set-cookie'),
      ]),
    ).toEqual([
      [200, null, null],
      [200, null, null],
    ]);
    expect(await suppressed(mail)).toEqual(['EMAIL ada@example.org unsubscribed']);
    expect(await mail.counts()).toMatchObject({ unsubscribed: 1, successful: 1 });
    expect((await mail.events()).filter((type) => type === 'user.unsubscribed')).toHaveLength(1);
  });
});

test('an unsubscribed person can subscribe again, repeatedly', async () => {
  const mail = await createMail(db);
  const page = await (await post(mail, 'action=unsubscribe')).text();

  await post(mail, 'action=resubscribe');
  const after = await (await post(mail, 'action=resubscribe')).text();

  expect(page).toContain('You are unsubscribed');
  expect(page).toContain('<button name="action" value="resubscribe">Subscribe again</button>');
  expect(after).toContain('You are subscribed');
  expect(await suppressed(mail)).toEqual([]);
  expect((await mail.events()).filter((type) => type === 'user.resubscribed')).toHaveLength(1);
});

test('the page chooses for each channel; hard suppressions stay', async () => {
  const mail = await createMail(db, { phoneE164: '+4915112345001' });
  await db.sql.query(
    `insert into suppressions (application_id, channel, address, reason) values ($1, 'EMAIL', 'ada@example.org', 'suppressed_bounce')`,
    [mail.applicationId],
  );

  await post(mail, 'action=save&marketing=EMAIL');
  const first = await suppressed(mail);
  await post(mail, 'action=save&marketing=SMS&marketing=WEB_PUSH');
  const second = await suppressed(mail);
  await post(mail, 'action=save&marketing=SMS&marketing=EMAIL');

  expect(first).toEqual([
    'EMAIL ada@example.org suppressed_bounce',
    'SMS +4915112345001 unsubscribed',
  ]);
  expect(second).toEqual([
    'EMAIL ada@example.org suppressed_bounce',
    'EMAIL ada@example.org unsubscribed',
  ]);
  expect(await suppressed(mail)).toEqual(['EMAIL ada@example.org suppressed_bounce']);
});

describe('each changed channel is reported', () => {
  const told = async ({ applicationId, campaignId, deliveryId }: Mail) => {
    const { rows } = await db.sql.query<{
      endpoint: string;
      type: string;
      data: Readonly<Record<string, unknown>>;
    }>(
      `select e.url as endpoint, w.type, w.data from webhook_deliveries w join webhook_endpoints e on e.id = w.endpoint_id
       where w.application_id = $1 and w.type like 'user.%' order by w.id`,
      [applicationId],
    );
    for (const { data } of rows)
      expect(data).toMatchObject({
        campaignId,
        deliveryId,
        customUserId: expect.any(String),
        status: 'sent',
      });
    return rows.map(({ endpoint, type, data }) => `${endpoint} ${type} ${String(data['channel'])}`);
  };
  const listen = async ({ applicationId }: Mail, url: string, channels: readonly string[]) => {
    await db.sql.query(
      `insert into webhook_endpoints (id, application_id, url, channels, sealed_secrets) values (uuidv7(), $1, $2, $3, 'sealed')`,
      [applicationId, url, channels],
    );
  };

  test('by a webhook and in the log', async () => {
    const mail = await createMail(db, { phoneE164: '+4915112345001' });
    await listen(mail, 'all', []);
    await listen(mail, 'sms', ['SMS']);

    await post(mail, 'action=save&marketing=EMAIL');
    await post(mail, 'action=save&marketing=EMAIL');
    await post(mail, 'action=save&marketing=EMAIL&marketing=SMS');
    await post(mail, 'action=save&marketing=SMS');

    const [off, on] = ['user.unsubscribed SMS', 'user.resubscribed SMS'];
    expect((await told(mail)).toSorted()).toEqual([
      `all ${on}`,
      'all user.unsubscribed EMAIL',
      `all ${off}`,
      `sms ${on}`,
      `sms ${off}`,
    ]);
    const { rows } = await db.sql.query<{ type: string; channel: string | null }>(
      `select type, channel from campaign_events where campaign_id = $1 and type like 'user.%' order by seq`,
      [mail.campaignId],
    );
    expect(rows).toEqual([
      { type: 'user.unsubscribed', channel: 'SMS' },
      { type: 'user.resubscribed', channel: 'SMS' },
      { type: 'user.unsubscribed', channel: null },
    ]);
    expect(await mail.counts()).toMatchObject({ unsubscribed: 1 });
  });
});

test('a mail without its delivery has nothing to change', async () => {
  const mail = await createMail(db);
  await db.sql.query('delete from deliveries where id = $1', [mail.deliveryId]);

  expect(await (await get(mail)).text()).toContain('Nothing to change');
  expect((await post(mail, 'List-Unsubscribe=One-Click')).status).toBe(200);
  expect(await suppressed(mail)).toEqual([]);
});

test('the page masks addresses and runs no foreign code', async () => {
  const mail = await createMail(db, {
    email: '<script>alert(1)</script>@example.org',
    phoneE164: '+4915112345001',
  });
  await db.sql.query('update applications set name = $2 where id = $1', [
    mail.applicationId,
    '<img src=x onerror=alert(1)> & Söhne',
  ]);

  const answer = await get(mail);
  const page = await answer.text();

  expect(page).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; Söhne');
  expect(page).not.toMatch(/<script|<img|15112345/);
  expect(page).toContain('••• 001');
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect([
    answer.headers.get('referrer-policy'),
    answer.headers.get('cache-control'),
    answer.headers.get('x-robots-tag'),
    answer.headers.get('x-content-type-options'),
  ]).toEqual(['no-referrer', 'no-store, private', 'noindex, nofollow', 'nosniff']);
});
