import { expect, test } from '@jest/globals';
import type { Database } from '@tidings/postgres/database';
import { createQuestions, QUESTIONS_DEFAULTS } from './questions.ts';

test.each([2, 3, 4])('of %i places no application takes all', async (userPlaces) => {
  const { withPlace } = createQuestions({} as Database, { ...QUESTIONS_DEFAULTS, userPlaces });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const own = Array.from({ length: 5 }, () => withPlace('a', () => held));

  expect(await withPlace('b', () => Promise.resolve('answered'))).toBe('answered');

  release();
  await Promise.all(own);
});
