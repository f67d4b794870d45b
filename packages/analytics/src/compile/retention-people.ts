import { createMemory } from '@tidings/folds/memory';
import type { Sql } from '@tidings/postgres/database';
import type { AskedRetentionOf } from '../retention/ask-retention.ts';
import { foldRetention } from './fold-retention.ts';
import { listFoldedPeople } from './folded-people.ts';

/** A number of retention: of a cohort by its index, and of a cell; absent: all of the cohort. */
export type RetentionPart = { readonly cohort: number; readonly cell?: number };

/** A page of the people of a number by customUserId. In one transaction. @throws TooManyPersons */
export async function listRetentionPeople(
  sql: Sql,
  { part, ...of }: AskedRetentionOf & { readonly part: RetentionPart },
  page: { readonly cursor?: string; readonly limit: number },
): Promise<string[]> {
  const { cohort, cell } = part;
  // Of a period that has not begun there is no number.
  if (cell !== undefined && (of.starts[cohort + cell] ?? of.now + 1) > of.now) return [];
  const memory = createMemory(of.memoryMiB);
  const { fold, persons } = await foldRetention(sql, of, memory);
  const isIn = (person: number): boolean =>
    fold.cohortOf(person) === cohort && (cell === undefined || fold.hasReturned(person, cell));
  const { context, condition, now } = of;
  return listFoldedPeople(sql, { context, condition, now, persons, isIn, memory }, page);
}
