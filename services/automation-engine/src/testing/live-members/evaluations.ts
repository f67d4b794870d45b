import type { Database, Sql } from '@tidings/postgres/database';

/** A person who was asked whether a segment has them. */
export type Evaluation = { readonly slug: string; readonly userId: string };

/**
 * A database that notes who is asked for their membership: by the statements that reach Postgres, not
 * by what the program says of itself.
 */
export function countEvaluations(db: Database): {
  readonly db: Database;
  /** Since the last call. */
  take(): readonly Evaluation[];
} {
  let evaluations: Evaluation[] = [];
  const watch = (sql: Sql): Sql => {
    let slug = '';
    return {
      query: ((query: string | { readonly text: string }, values: readonly unknown[] = []) => {
        const text = typeof query === 'string' ? query : query.text;
        // What is known of people is read first, by segment.
        if (text.includes('as is_scanned')) slug = String(values[1]);
        if (/ as is_member, .* as recheck\b/s.test(text)) {
          const own = slug;
          evaluations.push(
            ...(values.at(-1) as readonly string[]).map((userId) => ({ slug: own, userId })),
          );
        }
        return (sql.query as (...all: unknown[]) => unknown)(query, values);
      }) as Sql['query'],
    };
  };
  return {
    db: {
      ...db,
      transaction: (work, options) => db.transaction((sql) => work(watch(sql)), options),
    },
    take() {
      const taken = evaluations;
      evaluations = [];
      return taken;
    },
  };
}
