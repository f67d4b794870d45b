import { afterAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { classifyLinkHits } from '../../links/classify-link-hits.ts';
import { BROWSER, createMail } from '../../testing/mails.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, url } = api;
const get = (path: string, init: RequestInit = {}) =>
  fetch(`${url}${path}`, {
    ...init,
    headers: { 'User-Agent': BROWSER, ...(init.headers as Readonly<Record<string, string>>) },
  });
/** Classifies all hits so far, as if their waiting time had passed. */
const told = async (deliveryId: string) => {
  await api.linkHits.drain();
  await db.sql.query(
    `update link_visits set at = at - interval '1 minute' where delivery_id = $1`,
    [deliveryId],
  );
  // Hits of other tests do not matter: classification is idempotent.
  await classifyLinkHits(db, new AbortController().signal);
};

test('returns the uncached 1×1 image, and the mail counts as opened', async () => {
  const mail = await createMail(db, { ageMs: 600_000 });

  const answer = await get(mail.openPath);
  await told(mail.deliveryId);

  expect([
    answer.status,
    answer.headers.get('content-type'),
    answer.headers.get('cache-control'),
    answer.headers.get('set-cookie'),
  ]).toEqual([200, 'image/gif', 'no-store, private', null]);
  expect(
    Buffer.from(await answer.arrayBuffer())
      .subarray(0, 6)
      .toString(),
  ).toBe('GIF89a');
  await eventually(async () =>
    expect(await mail.read()).toMatchObject({ status: 'opened', openedAt: expect.any(Number) }),
  );
  expect(await mail.counts()).toMatchObject({ opened: 1, clicked: 0, successful: 1 });
});

test('repeated opens count once', async () => {
  const mail = await createMail(db, { ageMs: 600_000 });

  for (let round = 0; round < 3; round += 1) {
    await get(mail.openPath);
    await told(mail.deliveryId);
  }

  expect((await mail.events()).filter((type) => type === 'delivery.opened')).toHaveLength(1);
  expect(await mail.counts()).toMatchObject({ opened: 1 });
});

describe('a machine’s open is recorded, but does not count', () => {
  test.each<[string, RequestInit]>([
    ['Apple’s proxy', { headers: { 'User-Agent': 'Mozilla/5.0' } }],
    ['a script', { headers: { 'User-Agent': 'curl/8.5.0' } }],
    ['no user agent', { headers: { 'User-Agent': '' } }],
    ['HEAD', { method: 'HEAD' }],
    ['a prefetch', { headers: { 'Sec-Purpose': 'prefetch' } }],
  ])('%s', async (_name, init) => {
    const mail = await createMail(db, { ageMs: 600_000 });

    expect((await get(mail.openPath, init)).status).toBe(200);
    await told(mail.deliveryId);

    expect(await mail.events()).toContain('delivery.machine_opened');
    expect(await mail.read()).toMatchObject({ status: 'sent', openedAt: null });
    expect(await mail.counts()).toMatchObject({ opened: 0, machineOpened: 1 });
  });

  test('a person’s later open counts', async () => {
    const mail = await createMail(db, { ageMs: 600_000 });

    await get(mail.openPath, { headers: { 'User-Agent': 'Mozilla/5.0' } });
    await told(mail.deliveryId);
    await get(mail.openPath);
    await told(mail.deliveryId);

    expect(await mail.read()).toMatchObject({ status: 'opened' });
    expect(await mail.counts()).toMatchObject({ opened: 1, machineOpened: 1 });
  });

  test('within a second of sending, by any name', async () => {
    const mail = await createMail(db);

    await get(mail.openPath);
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
    expect(await mail.counts()).toMatchObject({ opened: 0, machineOpened: 1 });
  });

  test('beside a burst of clicks, by any name', async () => {
    const mail = await createMail(db, { ageMs: 600_000 });

    await get(mail.openPath);
    for (const page of ['a', 'b'])
      await get(mail.clickPath(`https://shop.example/${page}`, 2), { redirect: 'manual' });
    await api.linkHits.drain();
    await db.sql.query(
      `update link_visits set at = now() - interval '1 minute' where delivery_id = $1`,
      [mail.deliveryId],
    );
    await classifyLinkHits(db, new AbortController().signal);

    expect(await mail.read()).toMatchObject({ status: 'sent' });
    expect(await mail.counts()).toMatchObject({ machineOpened: 1, machineClicked: 1 });
  });
});

test('a provider’s proxy fetches the image when a person opens the mail, so it counts', async () => {
  const mail = await createMail(db, { ageMs: 600_000 });

  await get(mail.openPath, {
    headers: {
      'User-Agent':
        'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    },
  });
  await told(mail.deliveryId);

  expect(await mail.read()).toMatchObject({ status: 'opened' });
  expect(await mail.counts()).toMatchObject({ opened: 1, machineOpened: 0 });
});

describe('the response does not reveal whether a token is valid', () => {
  test.each(['x', 'x.1.y', '%00', '..%2f', 'a'.repeat(2_000)])('%s', async (token) => {
    const { openPath } = await createMail(db);
    const [forged, real] = await Promise.all([get(`/t/o/${token}`), get(openPath)]);
    const shown = async (answer: Response) => ({
      status: answer.status,
      body: Buffer.from(await answer.arrayBuffer()).toString('hex'),
      headers: [...answer.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date'),
    });

    expect(await shown(forged)).toEqual(await shown(real));
  });

  test('a token of another kind or delivery changes nothing', async () => {
    const mail = await createMail(db, { ageMs: 600_000 });
    const other = await createMail(db, { ageMs: 600_000 });
    const [, id = ''] = /\/t\/o\/([0-9a-z]+)\./.exec(other.openPath) ?? [];

    await get(mail.openPath.replace(/\/t\/o\/[0-9a-z]+/, `/t/o/${id}`));
    await get(mail.unsubscribePath.replace('/u/', '/t/o/'));
    await Promise.all([told(mail.deliveryId), told(other.deliveryId)]);

    expect([await mail.read(), await other.read()]).toMatchObject([
      { status: 'sent' },
      { status: 'sent' },
    ]);
  });
});
