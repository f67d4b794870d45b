import { afterAll, describe, expect, test } from '@jest/globals';
import { LINK_PURPOSES } from '@tidings/contracts/push/links';
import { createIdSigner, linkParts, systemIds } from '@tidings/platform';
import { createMail } from '../../testing/mails.ts';
import { ENCRYPTION_KEY, startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const get = (path: string) => fetch(`${api.url}${path}`, { redirect: 'manual' });
const attempt = { deliveryId: systemIds.uuid(), fence: 1, linkCount: 1 };
const signedFor = (purpose: string, url: string) =>
  createIdSigner(ENCRYPTION_KEY, purpose).sign(...linkParts({ ...attempt, url }));
const evil = Buffer.from('https://evil.example/').toString('base64url');

describe('no link redirects to an unsigned target', () => {
  test.each([
    ['nothing signed', `${'0'.repeat(25)}.1.1.${evil}.${'A'.repeat(22)}`],
    [
      'another page in a signed link',
      signedFor(LINK_PURPOSES.click, 'https://shop.example/').replace(/[^.]+(?=\.[^.]+$)/, evil),
    ],
    ['a signature for another purpose', signedFor(LINK_PURPOSES.open, 'https://shop.example/')],
    [
      'a signature by another key',
      createIdSigner('another key, of thirty-two characters', LINK_PURPOSES.click).sign(
        ...linkParts({ ...attempt, url: 'https://shop.example/' }),
      ),
    ],
    ['half of a link', signedFor(LINK_PURPOSES.click, 'https://shop.example/').slice(0, 60)],
    ['not a token', 'https:%2f%2fevil.example'],
    ['javascript, though signed', signedFor(LINK_PURPOSES.click, 'javascript:alert(1)')],
    [
      'data, though signed',
      signedFor(LINK_PURPOSES.click, 'data:text/html,<script>alert(1)</script>'),
    ],
    ['another scheme, though signed', signedFor(LINK_PURPOSES.click, 'intent://x#Intent;end')],
    ['no scheme, though signed', signedFor(LINK_PURPOSES.click, '//evil.example')],
  ])('%s', async (_name, token) => {
    const answer = await get(`/t/c/${token}`);

    expect([
      answer.status,
      answer.headers.get('location'),
      answer.headers.get('content-type'),
    ]).toEqual([404, null, 'application/problem+json']);
    expect(await answer.text()).not.toContain('evil');
  });
});

test('an open token does not unsubscribe', async () => {
  const mail = await createMail(api.db);

  expect((await get(mail.openPath.replace('/t/o/', '/u/'))).status).toBe(404);
  expect((await get('/u/x')).status).toBe(404);
});
