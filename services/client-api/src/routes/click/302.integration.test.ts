import { afterAll, describe, expect, test } from '@jest/globals';
import { classifyLinkHits } from '../../links/classify-link-hits.ts';
import { BROWSER, createMail } from '../../testing/mails.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, url } = api;
const follow = (path: string, userAgent = BROWSER) =>
  fetch(`${url}${path}`, { redirect: 'manual', headers: { 'User-Agent': userAgent } });
/**
 * Classifies the hits of a mail so far, as if they had all happened at one instant some minutes
 * ago.
 */
const told = async ({ deliveryId }: { readonly deliveryId: string }, minutesAgo = 1) => {
  await api.linkHits.drain();
  await db.sql.query(
    `update link_visits set at = now() - $2 * interval '1 minute' where delivery_id = $1 and decided_at is null`,
    [deliveryId, minutesAgo],
  );
  await classifyLinkHits(db, new AbortController().signal);
};
const LONG_AGO = { ageMs: 600_000 };

test('a link redirects to its page, and the mail counts as clicked and opened', async () => {
  const mail = await createMail(db, LONG_AGO);

  const answer = await follow(mail.clickPath('https://shop.example/größe?a=1&b=2#part'));
  await told(mail);

  expect([answer.status, answer.headers.get('location')]).toEqual([
    302,
    'https://shop.example/gr%C3%B6%C3%9Fe?a=1&b=2#part',
  ]);
  expect([
    answer.headers.get('cache-control'),
    answer.headers.get('referrer-policy'),
    answer.headers.get('set-cookie'),
    await answer.text(),
  ]).toEqual(['no-store, private', 'no-referrer', null, '']);
  expect(await mail.read()).toMatchObject({ status: 'clicked', clickedAt: expect.any(Number) });
  expect(await mail.counts()).toMatchObject({ opened: 1, clicked: 1 });
});

test('the log has the page without the personal parts of the link', async () => {
  const mail = await createMail(db, LONG_AGO);

  await follow(mail.clickPath('https://shop.example/sale?for=ada@example.org#ada'));
  await told(mail);
  const { rows } = await db.sql.query<{ page: string }>(
    'select detail as page from campaign_events where campaign_id = $1 and detail is not null union all select page from link_visits where delivery_id = $2',
    [mail.campaignId, mail.deliveryId],
  );

  expect(rows.map(({ page }) => page)).toEqual([
    'https://shop.example/sale',
    'https://shop.example/sale',
  ]);
});

describe('a machine is redirected too, but does not count', () => {
  test('each link of a mail within a second', async () => {
    const mail = await createMail(db, LONG_AGO);

    for (const page of ['a', 'b'])
      expect((await follow(mail.clickPath(`https://shop.example/${page}`, 2))).status).toBe(302);
    await told(mail);

    expect(await mail.read()).toMatchObject({ status: 'sent' });
    expect(await mail.events()).toContain('delivery.machine_clicked');
    expect(await mail.counts()).toMatchObject({ opened: 0, clicked: 0, machineClicked: 1 });
  });

  test.each([
    'curl/8.5.0',
    'TelegramBot (like TwitterBot)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  ])('that says so: %s', async (userAgent) => {
    const mail = await createMail(db, LONG_AGO);

    await follow(mail.clickPath('https://shop.example/a', 2), userAgent);
    await told(mail);

    expect(await mail.read()).toMatchObject({ status: 'sent' });
  });

  test('three links of many within a second', async () => {
    const mail = await createMail(db, LONG_AGO);

    for (const page of ['a', 'b', 'c'])
      await follow(mail.clickPath(`https://shop.example/${page}`, 40));
    await told(mail);

    expect(await mail.read()).toMatchObject({ status: 'sent' });
  });

  test('immediately after the mail was sent', async () => {
    const mail = await createMail(db);

    await follow(mail.clickPath('https://shop.example/a'));
    await api.linkHits.drain();
    await db.sql.query(
      `update link_visits set at = now() - interval '1 minute' where delivery_id = $1`,
      [mail.deliveryId],
    );
    await db.sql.query(
      `update deliveries d set sent_at = v.at - interval '500 ms' from link_visits v where v.delivery_id = d.id and d.id = $1`,
      [mail.deliveryId],
    );
    await classifyLinkHits(db, new AbortController().signal);

    expect(await mail.read()).toMatchObject({ status: 'sent' });
  });

  test('a person who clicks after a scanner counts', async () => {
    const mail = await createMail(db, LONG_AGO);
    for (const page of ['a', 'b']) await follow(mail.clickPath(`https://shop.example/${page}`, 2));
    await told(mail, 5);

    await follow(mail.clickPath('https://shop.example/a', 2));
    await told(mail);

    expect(await mail.read()).toMatchObject({ status: 'clicked' });
  });
});

describe('a person', () => {
  test.each([
    'Mozilla/5.0 (Linux; Android 12; CUBOT) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Linux; Android 13; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Mobile Safari/537.36 Telegram-Android/10.5',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.38 Chrome/124 Electron/30 Safari/537.36',
  ])('with %s', async (userAgent) => {
    const mail = await createMail(db, LONG_AGO);

    await follow(mail.clickPath('https://shop.example/a', 2), userAgent);
    await told(mail);

    expect(await mail.read()).toMatchObject({ status: 'clicked' });
  });

  test.each(['.', ',', ')', '>', '!', '”', '%22', ').'])(
    'whose program took %s behind the link into it',
    async (punctuation) => {
      const mail = await createMail(db, LONG_AGO);

      const answer = await follow(`${mail.clickPath('https://shop.example/a')}${punctuation}`);
      await told(mail);

      expect([answer.status, answer.headers.get('location')]).toEqual([
        302,
        'https://shop.example/a',
      ]);
      expect(await mail.read()).toMatchObject({ status: 'clicked' });
    },
  );

  test('clicks the only link of a mail repeatedly', async () => {
    const mail = await createMail(db, LONG_AGO);

    await Promise.all([1, 2, 3].map(() => follow(mail.clickPath('https://shop.example/a', 1))));
    await told(mail);

    expect(await mail.read()).toMatchObject({ status: 'clicked' });
    expect((await mail.events()).filter((type) => type === 'delivery.clicked')).toHaveLength(1);
  });

  test('clicks two of three links within a second', async () => {
    const mail = await createMail(db, LONG_AGO);

    for (const page of ['a', 'b']) await follow(mail.clickPath(`https://shop.example/${page}`, 3));
    await told(mail);

    expect(await mail.read()).toMatchObject({ status: 'clicked' });
  });
});
