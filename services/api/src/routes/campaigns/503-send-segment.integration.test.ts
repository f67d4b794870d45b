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
const push = {
  segment: { condition: { field: 'country', is: 'DE' } },
  channel: 'SMS',
  message: { body: 'Hi' },
};

test.each(['busy', 'timed_out'] as const)(
  'a dry run to a segment whose question is %s is repeated later',
  async (answer) => {
    questions.answer = answer;

    const { status, headers } = await api.request('POST', 'campaigns', {
      headers: api.asServer,
      body: { ...push, dryRun: true },
    });

    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  },
);
