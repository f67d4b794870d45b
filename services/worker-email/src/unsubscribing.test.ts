import { describe, expect, test } from '@jest/globals';
import type { OutgoingDelivery } from '@tidings/channel-worker';
import { LINK_PURPOSES } from '@tidings/contracts/push/links';
import { createReturnTokens, createSealedAddresses } from '@tidings/platform';
import PostalMime from 'postal-mime';
import { createTestChannel, outgoingMail, startSmtpServer, TEST_CONFIG } from './testing/smtp.ts';

/** The mail as a server got it. */
async function received(overrides: Partial<OutgoingDelivery>) {
  await using server = await startSmtpServer();
  await using channel = createTestChannel();
  const delivery = outgoingMail(server.port, overrides);
  await channel.send(delivery);
  const [mail] = server.mails;
  const { headers } = await PostalMime.parse(mail?.source ?? '');
  return { delivery, ...mail, headers: new Map(headers.map(({ key, value }) => [key, value])) };
}

describe('marketing can be unsubscribed by one click (RFC 8058)', () => {
  test('both headers are there, with a link that names the attempt and, for us alone, the address', async () => {
    const { delivery, headers } = await received({ purpose: 'marketing', fence: 7 });
    const [, token] =
      /^<https:\/\/tidings\.example\/u\/([\w.-]+)>$/.exec(headers.get('list-unsubscribe') ?? '') ??
      [];

    expect(
      createSealedAddresses(TEST_CONFIG.encryptionKey, LINK_PURPOSES.unsubscribe).open(token ?? ''),
    ).toEqual({
      deliveryId: delivery.deliveryId,
      fence: 7,
      address: delivery.address,
    });
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(headers.has('auto-submitted')).toBe(false);
  });

  test('of a very long address, too, the header keeps the 998 characters of a line (RFC 5322, 2.1.1)', async () => {
    // One character less than the longest: the server of the tests takes no more.
    const domain = ['b'.repeat(61), 'c'.repeat(61), 'd'.repeat(60), 'org'].join('.');
    const { source = '' } = await received({
      purpose: 'marketing',
      address: `${'a'.repeat(64)}@${domain}`,
    });

    const line = source.split('\r\n').find((each) => each.includes('tidings.example/u/')) ?? '';
    expect(line.length).toBeGreaterThan(400);
    expect(Math.max(...source.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
  });

  test('a mailbox of the application comes second', async () => {
    const { headers } = await received({
      purpose: 'marketing',
      settings: { unsubscribeMailbox: 'no+more@example.com' },
    });

    expect(headers.get('list-unsubscribe')).toMatch(
      /^<https:\/\/tidings\.example\/u\/[\w.-]+>, <mailto:no%2Bmore@example\.com\?subject=unsubscribe%20[\w.]+>$/,
    );
  });

  test('a transactional mail has neither, and says that no answer is expected', async () => {
    const { headers } = await received({
      purpose: 'transactional',
      settings: { unsubscribeMailbox: 'no@example.com' },
    });

    expect([headers.has('list-unsubscribe'), headers.has('list-unsubscribe-post')]).toEqual([
      false,
      false,
    ]);
    expect(headers.get('auto-submitted')).toBe('auto-generated');
  });
});

test('Feedback-ID tells mail providers campaign, purpose, application and sender', async () => {
  const { delivery, headers } = await received({ purpose: 'marketing' });

  expect(headers.get('feedback-id')).toBe(
    `${delivery.campaignId}:marketing:${delivery.applicationId}:tidings`,
  );
});

describe('where a mail that cannot be delivered is sent back to', () => {
  const attemptFrom = (token: string | undefined) =>
    createReturnTokens(TEST_CONFIG.encryptionKey, LINK_PURPOSES.bounce).open(token ?? '');

  test('with a bounce domain: an address of its own, which survives servers that change the letter case', async () => {
    const { delivery, from, headers } = await received({
      fence: 3,
      settings: { bounceDomain: 'bounces.example.com' },
    });
    const [, token] = /^bounce\+([0-9a-z.]+)@bounces\.example\.com$/.exec(from ?? '') ?? [];

    expect(from?.split('@')[0]?.length).toBeLessThanOrEqual(64);
    expect(attemptFrom(token?.toUpperCase())).toMatchObject({
      deliveryId: delivery.deliveryId,
      fence: 3,
    });
    expect(
      [delivery.address, 'other@example.org'].map((address) => attemptFrom(token)?.isTo(address)),
    ).toEqual([true, false]);
    expect(headers.get('from')).toBe('shop@example.com');
  });

  test('without: the sender; reports bring back the header', async () => {
    const { delivery, from, headers } = await received({ fence: 3 });

    expect(from).toBe('shop@example.com');
    expect(attemptFrom(headers.get('x-tidings-return'))).toMatchObject({
      deliveryId: delivery.deliveryId,
      fence: 3,
    });
  });
});
