import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test.each([
  [{}, ['/from', '/body']],
  [{ from: 'me', body: 'x' }, ['/from']],
  [{ from: '+4915112345001' }, ['/body']],
  [{ from: '+4915112345001', body: 5 }, ['/body']],
  [{ from: '+4915112345001', to: '', body: 'x' }, ['/to']],
])('%j is no answer of a phone', async (body, pointers) => {
  await using sandbox = await startTestSandbox();

  const answer = await sandbox.request('POST', '/api/inbound', body);

  expect(answer.status).toBe(400);
  expect(
    ((await answer.json()) as { errors: { pointer: string }[] }).errors.map(
      ({ pointer }) => pointer,
    ),
  ).toEqual(pointers);
});
