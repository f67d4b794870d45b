import { afterAll, describe, expect, test } from '@jest/globals';
import { listSuppressions, suppressAddress } from '@tidings/people/suppressions';
import { untilBlockedBy } from '@tidings/testing';
import { createMail } from '../../testing/mails.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, url } = api;
type Mail = Awaited<ReturnType<typeof createMail>>;

const PHONE = '+4915112345001';
const ONE_CLICK = 'List-Unsubscribe=One-Click';
const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
const get = (path: string) => fetch(`${url}${path}`);
const post = (path: string, body: string) =>
  fetch(`${url}${path}`, { method: 'POST', headers, body });
const suppressed = async ({ applicationId }: Mail) =>
  (await listSuppressions(db, applicationId, { limit: 10 }))
    .map(({ channel, address }) => `${channel} ${address}`)
    .toSorted();
const moveTo = (mail: Mail, email: string) =>
  db.sql.query(
    `update users set fields = fields || jsonb_build_object('email', $2::text), updated_at = now() where application_id = $1`,
    [mail.applicationId, email],
  );
/** A mail to `old@`, whose recipient now has `new@`. */
async function createOldMail() {
  const mail = await createMail(db, { email: 'Old@Example.org', phoneE164: PHONE });
  await moveTo(mail, 'new@example.org');
  return mail;
}

describe('a mail unsubscribes the address it was sent to, not the current one', () => {
  test('one click leaves the new address and the phone number as they are', async () => {
    const mail = await createOldMail();

    const answer = await post(mail.unsubscribePath, ONE_CLICK);

    expect(answer.status).toBe(200);
    expect(await suppressed(mail)).toEqual(['EMAIL old@example.org']);
    expect(await mail.counts()).toMatchObject({ unsubscribed: 1 });
  });

  test('its page shows only that address, and resubscribes no other', async () => {
    const mail = await createOldMail();
    const { applicationId } = mail;
    for (const [channel, address] of [
      ['EMAIL', 'new@example.org'],
      ['EMAIL', 'old@example.org'],
      ['SMS', PHONE],
    ] as const) {
      await suppressAddress(db.sql, { applicationId, channel, address, reason: 'unsubscribed' });
    }

    const page = await (await get(mail.unsubscribePath)).text();
    await post(mail.unsubscribePath, 'action=save&marketing=EMAIL&marketing=SMS');

    expect(page).toContain('o•••@example.org');
    expect(page).not.toMatch(/n•••|••• 001|name="marketing"/);
    expect(await suppressed(mail)).toEqual(['EMAIL new@example.org', `SMS ${PHONE}`]);
  });

  test('also when the user was deleted', async () => {
    const mail = await createOldMail();
    await db.sql.query('update deliveries set user_id = null where id = $1', [mail.deliveryId]);

    await post(mail.unsubscribePath, ONE_CLICK);

    expect(await suppressed(mail)).toEqual(['EMAIL old@example.org']);
  });

  test('the other channels appear again with the address', async () => {
    const mail = await createOldMail();
    await moveTo(mail, 'OLD@example.org');

    await post(mail.unsubscribePath, 'action=save');

    expect(await suppressed(mail)).toEqual(['EMAIL old@example.org', `SMS ${PHONE}`]);
  });

  test('with an address of maximum length', async () => {
    const email = `${'a'.repeat(64)}@${'b'.repeat(185)}.org`;
    const mail = await createMail(db, { email });

    expect((await post(mail.unsubscribePath, ONE_CLICK)).status).toBe(200);
    expect(await suppressed(mail)).toEqual([`EMAIL ${email}`]);
  });
});

describe('a link of an older version does not contain the address', () => {
  test('if the profile did not change since the mail, its address is used', async () => {
    const mail = await createMail(db, { phoneE164: PHONE });
    await db.sql.query(
      `update users set updated_at = now() - interval '1 hour' where application_id = $1`,
      [mail.applicationId],
    );

    const answer = await post(mail.olderUnsubscribePath, ONE_CLICK);

    expect(answer.status).toBe(200);
    expect(await suppressed(mail)).toEqual(['EMAIL ada@example.org']);
  });

  test('after a change the page asks for the address, and one-click gets an error', async () => {
    const mail = await createOldMail();

    const page = await (await get(mail.olderUnsubscribePath)).text();
    const answers = [
      await post(mail.olderUnsubscribePath, ONE_CLICK),
      await post(mail.olderUnsubscribePath, 'action=save&marketing=SMS'),
    ];

    expect(page).toContain('<input type="email" name="address" required');
    expect(page).not.toMatch(/n•••|••• 001/);
    expect(answers.map(({ status }) => status)).toEqual([409, 409]);
    expect(await answers[0]?.json()).toMatchObject({ code: 'conflict' });
    expect(await suppressed(mail)).toEqual([]);
  });

  test('of addresses entered concurrently one is unsubscribed', async () => {
    const mail = await createOldMail();
    const enter = (address: string) =>
      post(
        mail.olderUnsubscribePath,
        new URLSearchParams({ action: 'unsubscribe', address }).toString(),
      );

    // Neither stores the unsubscription before both have read that there is none.
    const answers = await db.transaction(async (sql) => {
      await sql.query('select 1 from deliveries where id = $1 for update', [mail.deliveryId]);
      const entered = [enter('one@example.org'), enter('two@example.org')];
      await untilBlockedBy(db, sql, { waitersMin: 2 });
      return entered;
    });

    const pages = await Promise.all(answers.map(async (answer) => (await answer).text()));
    expect(await suppressed(mail)).toHaveLength(1);
    expect(pages.every((page) => page.includes('You are unsubscribed'))).toBe(true);
    expect((await mail.events()).filter((type) => type === 'user.unsubscribed')).toHaveLength(1);
    expect(await mail.counts()).toMatchObject({ unsubscribed: 1 });
  });

  test('the entered address is unsubscribed: one per link, and none is resubscribed', async () => {
    const mail = await createOldMail();
    const enter = async (address: string) =>
      (
        await post(
          mail.olderUnsubscribePath,
          new URLSearchParams({ action: 'unsubscribe', address }).toString(),
        )
      ).text();

    const pages = [
      await enter('nonsense'),
      await enter(' Old@example.org '),
      await enter('new@example.org'),
    ];
    const again = await post(mail.olderUnsubscribePath, 'action=resubscribe');

    expect(pages[0]).toContain('role="alert"');
    expect(pages[1]).toContain('You are unsubscribed');
    expect(pages[2]).not.toContain('name="address"');
    expect(again.status).toBe(409);
    expect(await suppressed(mail)).toEqual(['EMAIL old@example.org']);
    expect((await mail.events()).filter((type) => type === 'user.unsubscribed')).toHaveLength(1);
  });
});
