import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Database } from '@tidings/postgres/database';
import { compileMembers } from '@tidings/segments/members';
import { localSettings, QUESTION_DEFAULTS, readNow } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import type { Sizes } from './sizes.ts';

/** Of both statements: memory and plans as the API sets them. */
const BENCH_SETTINGS = localSettings({ name: 'bench', ...QUESTION_DEFAULTS });
const BOUNDS = { statementTimeoutMs: 120_000 };

type Counted = { readonly ms: number; readonly count: number };

/** How the bench asks an installation. */
export type Asked = {
  readonly db: Database;
  readonly applicationId: string;
  readonly sizes: Sizes;
  /** Calls the API. @throws unless the answer is 200 */
  post<T>(path: string, body: object): Promise<{ readonly ms: number; readonly body: T }>;
  read<T>(path: string): Promise<T>;
  /** Runs a statement of `SegmentQuestion.byHand`. */
  count(byHand: string): Promise<Counted>;
};

export function createAsked({
  db,
  applicationId,
  sizes,
  url,
  headers,
}: Pick<Asked, 'db' | 'applicationId' | 'sizes'> & {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}): Asked {
  const call = async (path: string, init: RequestInit): Promise<unknown> => {
    const answer = await fetch(`${url}/api/v1/${path}`, init);
    const text = await answer.text();
    if (answer.status !== 200)
      throw new Error(`${path} returned ${answer.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  };
  return {
    db,
    applicationId,
    sizes,
    async post<T>(path: string, body: object) {
      const beganAt = performance.now();
      const answer = await call(path, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { ms: performance.now() - beganAt, body: answer as T };
    },
    read: async <T>(path: string) => (await call(path, { headers })) as T,
    async count(byHand) {
      // The application alone, where the question has no window.
      const values = byHand.includes('$2') ? [applicationId, Date.now()] : [applicationId];
      return db.transaction(async (sql) => {
        await sql.query(BENCH_SETTINGS);
        const beganAt = performance.now();
        const { rows } = await sql.query<{ count: number }>(byHand, values);
        return { ms: performance.now() - beganAt, count: rows[0]?.count ?? 0 };
      }, BOUNDS);
    },
  };
}

/** Counts the members of a condition, with the settings of the API. */
export function countAll({ db, applicationId }: Asked, condition: Condition): Promise<Counted> {
  return db.transaction(async (sql) => {
    await sql.query(BENCH_SETTINGS);
    const context = await readConditionContext(sql, applicationId);
    const { text, values } = compileMembers({ context, condition, now: await readNow(sql) });
    const beganAt = performance.now();
    const { rows } = await sql.query<{ count: number }>(
      `select count(*)::int as count from (${text}) m`,
      [...values],
    );
    return { ms: performance.now() - beganAt, count: rows[0]?.count ?? 0 };
  }, BOUNDS);
}
