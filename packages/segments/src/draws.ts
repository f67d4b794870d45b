import type { Clock } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { LRUCache } from 'lru-cache';

const statement = statementsIn(import.meta.dirname);

const SAMPLE_SIZE = 2_000;
const KEPT_MS = 60_000;
/** Applications. */
const KEPT_MAX = 50;

/** Registered users of an application, drawn at random. */
export type Draw = {
  readonly customUserIds: readonly string[];
  /** How many users were registered. */
  readonly registered: number;
  /** All of them were drawn. */
  readonly isAll: boolean;
};

/** Draws some 2,000 users of an application, by a hash of their ids; all of them if they are few. */
export type Draws = (sql: Sql, applicationId: string) => Promise<Draw>;

/**
 * To draw from many users, an index of all of them is read. So the same draw serves all questions
 * of a minute: while a person changes a condition, the same users are asked.
 */
export function createDraws(clock: Clock): Draws {
  const kept = new LRUCache<string, Draw>({
    max: KEPT_MAX,
    ttl: KEPT_MS,
    perf: { now: () => clock.monotonicMs() },
    ttlResolution: 0,
  });
  return async (sql, applicationId) => {
    const known = kept.get(applicationId);
    if (known !== undefined) return known;
    const draw = await drawUsers(sql, applicationId, clock.now());
    // Few users are drawn quickly, and each new one counts.
    if (!draw.isAll) kept.set(applicationId, draw);
    return draw;
  };
}

/** @param seed chooses the users */
export async function drawUsers(sql: Sql, applicationId: string, seed: number): Promise<Draw> {
  const counted = await sql.query<{ registered: number }>(statement('count-registered'), [
    applicationId,
  ]);
  const registered = counted.rows[0]?.registered ?? 0;
  const step = Math.max(1, Math.floor(registered / SAMPLE_SIZE));
  const { rows } = await sql.query<{ custom_user_id: string | null }>(statement('draw-users'), [
    applicationId,
    step,
    seed,
  ]);
  return {
    customUserIds: rows.map((row) => String(row.custom_user_id)),
    registered,
    isAll: step === 1,
  };
}
