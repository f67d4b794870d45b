import { afterAll, expect, test } from '@jest/globals';
import type { Questions } from '@tidings/segments/questions';
import { startTestApi } from '../../testing/test-api.ts';

const questions = {
  answer: 'busy' as 'busy' | 'timed_out',
  ask: () => Promise.resolve(questions.answer),
};
const api = await startTestApi({ questions: questions as unknown as Questions });
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const body = { condition: { field: 'country', is: 'DE' } };

test.each(['busy', 'timed_out'] as const)(
  'a question that is %s is asked again later',
  async (answer) => {
    questions.answer = answer;

    const { status, headers } = await api.request('POST', 'segments/count', {
      headers: api.asServer,
      body,
    });

    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('5');
  },
);
