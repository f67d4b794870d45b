import { expect, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compileOnce } from './compiled-messages.ts';
import { userScope } from '@tidings/liquid/user-scope';
import { ADA } from '@tidings/liquid/testing/render';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('messages with very many outputs do not take the memory of the process', () => {
  const output = `{{ user.city | append: "${'a'.repeat(32)}" }}`;
  const messages = Array.from({ length: 20 }, (_, index) => ({
    key: `large:${index}`,
    message: { body: output.repeat(4_300) },
  }));
  collectGarbage();
  const before = process.memoryUsage().heapUsed;

  for (const message of messages) compileOnce('EMAIL', message);

  collectGarbage();
  expect((process.memoryUsage().heapUsed - before) / 1024 / 1024).toBeLessThan(100);
  const lengths = messages.map((message) => {
    const body = compileOnce('EMAIL', message)?.render(userScope(ADA, 'large')).body;
    return typeof body === 'string' ? body.length : 0;
  });
  expect(lengths).toEqual(messages.map(() => 35 * 4_300));
});
