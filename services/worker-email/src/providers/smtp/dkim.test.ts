import { describe, expect, test } from '@jest/globals';
import type { OutgoingDelivery } from '@tidings/channel-worker';
import { createDkimKeys } from '../../testing/dkim-keys.ts';
import { createTestChannel, outgoingMail, startSmtpServer } from '../../testing/smtp.ts';

const { settingsOf, verdictsOf } = createDkimKeys();
const signed: Partial<OutgoingDelivery> = {
  ...settingsOf(['rsa-sha256']),
  purpose: 'marketing',
  message: { title: 'Größe', body: '<p>Hello <a href="https://shop.example/">shop</a></p>' },
  isTracked: true,
};

/** As the server got it. */
async function sourceOf(overrides: Partial<OutgoingDelivery>): Promise<string> {
  await using server = await startSmtpServer();
  await using channel = createTestChannel();
  expect(await channel.send(outgoingMail(server.port, overrides))).toMatchObject({
    status: 'sent',
  });
  return server.mails[0]?.source ?? '';
}

test('another implementation verifies the signature', async () => {
  expect(await verdictsOf(await sourceOf(signed))).toEqual(['rsa-sha256 pass']);
});

describe('it covers what RFC 8058 and the reader rely on: changed on the way, it fails', () => {
  test.each([
    ['the address to unsubscribe', /<https:\/\/tidings\.example\/u\//, '<https://evil.example/u/'],
    ['the one click', /One-Click/, 'No-Click'],
    ['the subject', /^Subject: /m, 'Subject: Re: '],
    ['the sender', /^From: /m, 'From: Evil '],
    ['the recipient', /^To: ada@/m, 'To: eve@'],
    ['the body', /Hello/, 'Hullo'],
  ])('%s', async (_name, what, change) => {
    const source = await sourceOf(signed);
    const changed = source.replace(what, change);

    expect(changed).not.toBe(source);
    expect(await verdictsOf(changed)).toEqual([expect.stringMatching(/^rsa-sha256 (?!pass)/)]);
  });

  test('both headers of RFC 8058 are named in the signature', async () => {
    const signature = /^DKIM-Signature:[\s\S]*?\r\n(?!\s)/m
      .exec(await sourceOf(signed))?.[0]
      .replaceAll(/\s/g, '')
      .toLowerCase();

    expect(signature).toMatch(/h=[^;]*\blist-unsubscribe-post\b/);
    expect(signature).toMatch(/h=[^;]*:list-unsubscribe:/);
    expect(signature).toContain('d=example.com;');
    expect(signature).toContain('s=rsa;');
  });
});

test('without all three settings nothing is signed', async () => {
  expect(await sourceOf({ ...signed, secrets: {} })).not.toMatch(/^DKIM-Signature:/m);
  expect(await sourceOf({ ...signed, settings: {} })).not.toMatch(/^DKIM-Signature:/m);
});

test('signed, too, a mail whose connection is reset before its end was written was not handed over', async () => {
  await using server = await startSmtpServer({
    onData: (stream) => {
      stream.once('data', () => server.cut('reset'));
    },
  });
  await using channel = createTestChannel({ timeoutMs: 60_000 });

  // Larger than all buffers on the way, so that its end was not written.
  expect(
    await channel.send(
      outgoingMail(server.port, { ...signed, message: { body: 'x'.repeat(6 * 1024 * 1024) } }),
    ),
  ).toMatchObject({ status: 'transient' });
}, 60_000);
