import { describe, expect, test } from '@jest/globals';
import type { OutgoingDelivery } from '@tidings/channel-worker';
import { LINK_PURPOSES } from '@tidings/contracts/push/links';
import { parseAttempt, createIdSigner, createSealedAddresses, parseLink } from '@tidings/platform';
import {
  composedMail,
  createTestChannel,
  outgoingMail,
  startSmtpServer,
  TEST_CONFIG,
} from './testing/smtp.ts';

const BODY =
  '<body><a href="https://shop.example/a?x=1&amp;y=2">A</a> <a href="https://shop.example/b">B</a> <a href="https://shop.example/b">B again</a></body>';
const tracked = (overrides: Partial<OutgoingDelivery> = {}) =>
  outgoingMail(25, { message: { body: BODY }, isTracked: true, fence: 3, ...overrides });
const open = (purpose: keyof typeof LINK_PURPOSES, token: string | undefined) =>
  createIdSigner(TEST_CONFIG.encryptionKey, LINK_PURPOSES[purpose]).open(token ?? '');

test('links lead to an address of ours that holds the attempt, the page, and how many pages there are', () => {
  const delivery = tracked();
  const html = composedMail(delivery).html ?? '';
  const tokens = [...html.matchAll(/href="https:\/\/tidings\.example\/t\/c\/([\w.-]+)"/g)].map(
    ([, token]) => token,
  );

  expect(tokens.map((token) => parseLink(open('click', token)))).toEqual(
    ['https://shop.example/a?x=1&y=2', 'https://shop.example/b', 'https://shop.example/b'].map(
      (url) => ({ deliveryId: delivery.deliveryId, fence: 3, linkCount: 2, url }),
    ),
  );
  expect(html).not.toContain('shop.example');
});

test('a picture of one point at the end of the body holds the attempt', () => {
  const delivery = tracked();
  const [, token] =
    /<img src="https:\/\/tidings\.example\/t\/o\/([\w.-]+)" width="1" height="1" alt="" [^>]*><\/body>$/.exec(
      composedMail(delivery).html ?? '',
    ) ?? [];

  expect(parseAttempt(open('open', token))).toEqual({ deliveryId: delivery.deliveryId, fence: 3 });
});

test('a token of one kind does not open as another, and the short ones are short', () => {
  const html = composedMail(tracked()).html ?? '';
  const [, token] = /\/t\/o\/([\w.-]+)/.exec(html) ?? [];

  expect([open('click', token), open('unsubscribe', token), open('bounce', token)]).toEqual([
    null,
    null,
    null,
  ]);
  expect(token?.length).toBeLessThanOrEqual(52);
});

test('no token has anything of the recipient', () => {
  const delivery = tracked({ address: 'ada.lovelace@example.org', customUserId: 'customer-4711' });
  const { html = '', headers } = composedMail(delivery);
  const inside = [...(html + JSON.stringify(headers)).matchAll(/[\w-]{8,}/g)]
    .map(([text]) => `${text} ${Buffer.from(text, 'base64url').toString('latin1')}`)
    .join();

  expect(inside).not.toMatch(/lovelace|4711/);
});

describe('the body stays to the letter', () => {
  test.each([
    ['where the application wants no tracking', tracked({ isTracked: false }), undefined],
    ['where there is no address of ours', tracked(), ''],
  ])('%s', (_name, delivery, publicBaseUrl) => {
    expect(composedMail(delivery, publicBaseUrl).html).toBe(BODY);
  });

  test('and the text part has the pages themselves', () => {
    expect(composedMail(tracked()).text).toContain('[https://shop.example/b]');
  });
});

describe('the placeholder of the recipient’s own address', () => {
  const body = '<a href="{{unsubscribeUrl}}">No more</a>';

  test.each([true, false])('is filled in, tracked or not: %s', (isTracked) => {
    const delivery = tracked({ message: { body }, isTracked });
    const { html = '', text } = composedMail(delivery);
    const [, token] = /href="https:\/\/tidings\.example\/u\/([\w.-]+)"/.exec(html) ?? [];

    const { deliveryId, address } = delivery;
    expect(
      createSealedAddresses(TEST_CONFIG.encryptionKey, LINK_PURPOSES.unsubscribe).open(token ?? ''),
    ).toMatchObject({ deliveryId, address });
    expect(text).toContain(`https://tidings.example/u/${token}`);
  });

  test('in a body of text, too', () => {
    const delivery = tracked({ message: { body: 'No more: {{ unsubscribeUrl }}' } });

    expect(composedMail(delivery).text).toMatch(/^No more: https:\/\/tidings\.example\/u\/\S+$/);
  });

  test('is whole in the text part, also in a heading and at the end of a line', () => {
    const words = 'word '.repeat(14);
    const { text } = composedMail(
      tracked({
        message: { body: `<h1>Stop: {{ unsubscribeUrl }}</h1><p>${words}{{ unsubscribeUrl }}</p>` },
      }),
    );

    expect(text.match(/https:\/\/tidings\.example\/u\/\S+/g)).toHaveLength(2);
    expect(text).not.toMatch(/\{|unsubscribeurl/i);
  });

  test.each([
    ['HTML', body],
    ['text', 'No more: {{unsubscribeUrl}}'],
  ])('without an address of ours %s waits for one, and says so', async (_what, own) => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel({ publicBaseUrl: '' });

    const results = [];
    for (const text of [own, 'Hello'])
      results.push(await channel.send(outgoingMail(server.port, { message: { body: text } })));

    expect(results).toMatchObject([
      { status: 'configuration', providerCode: 'no_public_url', isOfRecipient: true },
      { status: 'sent' },
    ]);
    expect(server.mails).toHaveLength(1);
  });
});
