import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { RehearsedPerson } from './rehearsing.ts';

const statement = statementsIn(import.meta.dirname);

export type ListedPerson = Omit<RehearsedPerson, 'events'> & {
  /** In the order of the list. */
  readonly place: string;
};

/** Before all others. */
export const FIRST_PLACE = {
  place: String(-(2n ** 63n)),
  userId: '00000000-0000-0000-0000-000000000000',
};

/**
 * People who did something in a period, in an order that has nothing to do with them, and how many
 * there are after the given place.
 */
export async function listPeople(
  sql: Sql,
  {
    applicationId,
    slugs,
    from,
    to,
    after,
    limit,
  }: {
    readonly applicationId: string;
    readonly slugs: readonly string[];
    readonly from: number;
    readonly to: number;
    readonly after: Pick<ListedPerson, 'place' | 'userId'>;
    readonly limit: number;
  },
): Promise<{ readonly people: readonly ListedPerson[]; readonly count: number }> {
  const { rows } = await sql.query<{
    id: string;
    custom_user_id: string | null;
    place: string;
    registered_ms: number;
    number: number;
  }>(statement('list-people'), [applicationId, slugs, from, to, after.place, after.userId, limit]);
  return {
    people: rows.map((row) => ({
      userId: row.id,
      customUserId: row.custom_user_id ?? '',
      registeredAt: row.registered_ms,
      place: row.place,
    })),
    count: rows[0]?.number ?? 0,
  };
}
