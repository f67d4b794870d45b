import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Memory } from '@tidings/folds/memory';
import { personArray } from '@tidings/folds/person-array';
import type { PersonIds } from '@tidings/folds/person-ids';
import type { Sql } from '@tidings/postgres/database';
import { compileCondition } from '@tidings/segments/compile/compile-condition';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { foldLeaves } from '@tidings/segments/fold-leaves';
import { EVERYONE } from '@tidings/segments/members';

/** Some persons of a fold, of a condition as they are now; null: of all. */
export type FoldedPeople = {
  readonly context: ConditionContext;
  readonly condition: Condition | null;
  readonly now: number;
  readonly persons: PersonIds;
  readonly isIn: (person: number) => boolean;
  readonly memory: Memory;
};

/** A page of those who are registered, by customUserId. In one transaction. @throws TooManyPersons */
export async function listFoldedPeople(
  sql: Sql,
  { context, condition, now, persons, isIn, memory }: FoldedPeople,
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
): Promise<string[]> {
  const asked = condition ?? EVERYONE;
  const { parameters, ...compiled } = compileCondition(asked, {
    context,
    folded: await foldLeaves(sql, { context, conditions: [asked], now }, memory),
    shape: 'all',
    now,
  });
  const ids = personArray(persons, isIn);
  memory.take(ids.length);
  const isLater =
    cursor === undefined ? '' : `and u.custom_user_id > ${parameters.add(cursor, 'text')}`;
  const { rows } = await sql.query<{ custom_user_id: string }>(
    `${compiled.with} select u.custom_user_id from ${compiled.from}
     where ${compiled.isRegistered} and u.id = any(${parameters.add(ids, 'uuid[]')}) ${isLater}
       and ${compiled.truth}
     order by u.custom_user_id limit ${parameters.add(limit, 'bigint')}`,
    parameters.values,
  );
  return rows.map((row) => row.custom_user_id);
}
