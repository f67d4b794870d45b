import { afterAll, expect, test } from '@jest/globals';
import { createMail } from '../../testing/mails.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test('other methods get 405', async () => {
  const mail = await createMail(api.db);
  const allowed = async (path: string) => {
    const answer = await fetch(`${api.url}${path}`, { method: 'PUT' });
    return [answer.status, answer.headers.get('allow')];
  };

  expect(await allowed(mail.unsubscribePath)).toEqual([405, 'GET, POST']);
  expect(await allowed(mail.openPath)).toEqual([405, 'GET']);
  expect(await allowed(mail.clickPath('https://shop.example'))).toEqual([405, 'GET']);
});
