import { afterAll, expect, test } from '@jest/globals';
import { connectTestDatabase, createFakeClock, createTestApplication } from '@tidings/testing';
import { createDraws } from './draws.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const clock = createFakeClock();
// An entry of the instant 0 does not expire.
clock.advance(1);

async function registerUsers(applicationId: string, from: number, to: number): Promise<void> {
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at)
     select gen_random_uuid(), $1, 'user ' || n, now() from generate_series($2::int, $3::int) n`,
    [applicationId, from, to],
  );
}

test('the draw from many users serves all questions of a minute', async () => {
  const [{ applicationId }, other] = [
    await createTestApplication(db),
    await createTestApplication(db),
  ];
  await registerUsers(applicationId, 1, 6_000);
  const draw = createDraws(clock);
  const first = await draw(db.sql, applicationId);
  expect(first).toMatchObject({ registered: 6_000, isAll: false });
  expect(first.customUserIds.length).toBeGreaterThan(1_500);
  expect(first.customUserIds.length).toBeLessThan(2_500);

  await registerUsers(applicationId, 6_001, 6_100);
  clock.advance(59_000);
  expect(await draw(db.sql, applicationId)).toBe(first);
  expect(await draw(db.sql, other.applicationId)).toEqual({
    customUserIds: [],
    registered: 0,
    isAll: true,
  });

  clock.advance(2_000);
  const second = await draw(db.sql, applicationId);
  expect(second).toMatchObject({ registered: 6_100, isAll: false });
  expect(second.customUserIds).not.toEqual(first.customUserIds);
});

test('few users are all drawn, each time anew', async () => {
  const { applicationId } = await createTestApplication(db);
  const draw = createDraws(clock);
  await registerUsers(applicationId, 1, 10);
  expect(await draw(db.sql, applicationId)).toMatchObject({ registered: 10, isAll: true });

  await registerUsers(applicationId, 11, 11);
  const { customUserIds } = await draw(db.sql, applicationId);

  expect(customUserIds).toHaveLength(11);
  expect(customUserIds).toContain('user 11');
});
