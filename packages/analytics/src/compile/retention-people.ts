import { createMemory } from '@tidings/folds/memory';
import type { Sql } from '@tidings/postgres/database';
import { compileCondition } from '@tidings/segments/compile/compile-condition';
import { foldLeaves } from '@tidings/segments/fold-leaves';
import { EVERYONE } from '@tidings/segments/members';
import type { AskedRetentionOf } from '../retention/ask-retention.ts';
import { foldRetention } from './fold-retention.ts';

/** A number of retention: of a cohort by its index, and of a cell; absent: all of the cohort. */
export type RetentionPart = { readonly cohort: number; readonly cell?: number };

const ID_BYTES = 16;
/** In a statement ids are texts. */
const ID_TEXT_BYTES = 4 * ID_BYTES;

/** A page of the people of a number by customUserId. In one transaction. @throws TooManyPersons */
export async function listRetentionPeople(
  sql: Sql,
  { part, ...of }: AskedRetentionOf & { readonly part: RetentionPart },
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
): Promise<string[]> {
  const { cohort, cell } = part;
  // Of a period that has not begun there is no number.
  if (cell !== undefined && (of.starts[cohort + cell] ?? of.now + 1) > of.now) return [];
  const memory = createMemory(of.memoryMiB);
  const { fold, persons } = await foldRetention(sql, of, memory);
  const ids: string[] = [];
  const bytes = Buffer.alloc(ID_BYTES);
  for (let person = 0; person < persons.size; person += 1) {
    if (fold.cohortOf(person) !== cohort) continue;
    if (cell !== undefined && !fold.hasReturned(person, cell)) continue;
    memory.take(ID_TEXT_BYTES);
    persons.write(person, bytes, 0);
    ids.push(bytes.toString('hex'));
  }
  const { context, condition, now } = of;
  const asked = condition ?? EVERYONE;
  const { parameters, ...compiled } = compileCondition(asked, {
    context,
    folded: await foldLeaves(sql, { context, conditions: [asked], now }, memory),
    shape: 'all',
    now,
  });
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
