import { afterAll, expect, test } from '@jest/globals';
import { connectTestDatabase, createFakeClock, createTestApplication } from '@tidings/testing';
import { createQuestions, QUESTIONS_DEFAULTS } from './questions.ts';
import { readConditionContext } from './segments.ts';

const db = connectTestDatabase({ poolMax: 4 });
afterAll(() => db.close());

test('what a question took does not include its wait for others', async () => {
  const { applicationId } = await createTestApplication(db);
  const clock = createFakeClock();
  const questions = createQuestions(db, { ...QUESTIONS_DEFAULTS, userPlaces: 1 }, clock);
  const context = await readConditionContext(db.sql, applicationId);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = questions.withPlace(applicationId, () => released);

  const asked = questions.estimate({ context, condition: { field: 'country', is: 'DE' } });
  clock.advance(4_000);
  release();
  await held;

  expect(await asked).toMatchObject({ estimate: { count: 0 }, tookMs: 0 });
});

test('a question may not take the time of many statements', async () => {
  const clock = createFakeClock();
  const questions = createQuestions(db, QUESTIONS_DEFAULTS, clock);

  const answer = await questions.askUsers('an application', async (sql) => {
    await sql.query('select 1');
    clock.advance(60_000);
    await sql.query('select pg_sleep(60)');
  });

  expect(answer).toBe('timed_out');
});
