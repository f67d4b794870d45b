import { askUsers } from '@tidings/segments/ask-users';
import { selectMembers } from '@tidings/segments/members';
import { readConditionContext } from '@tidings/segments/segments';
import type { PartReport } from '../report/figures.ts';
import { percentile } from '../report/percentile.ts';
import type { Asked } from './ask.ts';
import { THREE_LEAVES } from './questions.ts';

const TOGETHER = 200;
const WARM_UPS = 5;
const TOGETHER_MOST_US = { p50: 200, p99: 1_000 };
const BUSIEST_MOST_MS = 2;

/** Three leaves asked of given users: 200 together, drawn by their activity, and the busiest alone. */
export async function measureOneUser(asked: Asked): Promise<PartReport> {
  console.error('one user …');
  const { db, applicationId, sizes } = asked;
  const context = await readConditionContext(db.sql, applicationId);
  const ask = async (userIds: readonly string[]): Promise<number> => {
    const answer = await askUsers(db, async (sql, now) => {
      const beganAt = performance.now();
      await selectMembers(sql, { context, condition: THREE_LEAVES, now }, userIds);
      return performance.now() - beganAt;
    });
    if (answer === 'timed_out') throw new Error('a question about few users timed out');
    return answer;
  };
  const together: number[] = [];
  const alone: number[] = [];
  const [busiest = ''] = await readIds(asked, [0]);
  for (let call = -WARM_UPS; call < sizes.calls; call += 1) {
    const drawn = Array.from({ length: TOGETHER }, () =>
      Math.floor(sizes.users * Math.random() ** 2),
    );
    const ms = await ask(await readIds(asked, drawn));
    const busiestMs = await ask([busiest]);
    if (call < 0) continue;
    together.push((ms * 1_000) / TOGETHER);
    alone.push(busiestMs);
  }
  return {
    title: 'Three leaves about behaviour, of given users',
    figures: [
      ...([50, 99] as const).map((percent) => ({
        name: `a user of ${TOGETHER} together, p${percent}`,
        value: percentile(together, percent),
        unit: 'microseconds' as const,
        goal: { atMost: percent === 50 ? TOGETHER_MOST_US.p50 : TOGETHER_MOST_US.p99 },
      })),
      {
        name: 'the user with most events, alone, p50',
        value: percentile(alone, 50),
        unit: 'ms',
        goal: { atMost: BUSIEST_MOST_MS },
      },
    ],
    data: { together, alone },
  };
}

async function readIds(
  { db, applicationId }: Asked,
  numbers: readonly number[],
): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    'select id from users where application_id = $1 and custom_user_id = any($2)',
    [applicationId, numbers.map((number) => `user-${String(number).padStart(8, '0')}`)],
  );
  return rows.map(({ id }) => id);
}
