import { visitPersons, type AskedPersons } from '@tidings/folds/compile/read-persons';
import { createGroups, NO_GROUP, type Groups } from '@tidings/folds/groups';
import { inPieces } from '@tidings/folds/in-pieces';
import type { Memory } from '@tidings/folds/memory';
import type { PersonIds } from '@tidings/folds/person-ids';
import type { Sql } from '@tidings/postgres/database';

/** In which group of a breakdown each person is. */
export type PersonGroups = {
  /** Of each person; `NO_PERSON` for those whom the question is not about. */
  readonly groupOf: Int32Array;
  /** Of each group its value, as the text of a jsonb value. */
  readonly values: readonly string[];
  /** The groups with the most persons, the largest first. */
  readonly largest: readonly number[];
  /** How many further groups there are. */
  readonly othersGroups: number;
};

const NO_PERSON = -2;
/** Groups that are shown; those of all further values are others. */
export const GROUPS_MAX = 10;

/**
 * Finds those of some persons whom a question is about, and the group of each.
 * @param ofEvents groups that do not come from the values of the persons
 * @throws TooManyPersons, TooManyValues
 */
export async function readGroups(
  sql: Sql,
  persons: PersonIds,
  {
    asked,
    ofEvents = null,
    memory,
  }: {
    readonly asked: AskedPersons;
    readonly ofEvents?: { readonly groups: Groups; readonly of: (person: number) => number } | null;
    readonly memory: Memory;
  },
): Promise<PersonGroups> {
  memory.take(persons.size * Int32Array.BYTES_PER_ELEMENT);
  const groupOf = new Int32Array(persons.size).fill(NO_PERSON);
  const groups = ofEvents?.groups ?? createGroups();
  const visit = (person: number, value: string | null): void => {
    groupOf[person] = ofEvents === null ? groups.numberOf(value) : ofEvents.of(person);
  };
  await visitPersons(sql, persons, { ...asked, visit });

  const sizes = new Map<number, number>();
  for (const group of groupOf) if (group >= 0) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const largest = [...sizes]
    .toSorted(([a, n], [b, m]) => m - n || (groups.isLess(a, b) ? -1 : 1))
    .slice(0, GROUPS_MAX)
    .map(([group]) => group);
  return { groupOf, values: groups.values, largest, othersGroups: sizes.size - largest.length };
}

/** Counts of the persons of a question, each in one of them: by group, of those without, and of others. */
export type CountsByGroup<Counts> = {
  readonly none: Counts;
  readonly others: Counts;
  readonly shown: ReadonlyMap<number, Counts>;
};

/** Counts each person in their group, in pieces. */
export async function countByGroup<Counts extends { add(person: number): void }>(
  { groupOf, largest }: Pick<PersonGroups, 'groupOf' | 'largest'>,
  begin: () => Counts,
): Promise<CountsByGroup<Counts>> {
  const [none, others] = [begin(), begin()];
  const shown = new Map(largest.map((group) => [group, begin()]));
  await inPieces(groupOf.length, (from, to) => {
    for (let person = from; person < to; person += 1) {
      const group = groupOf[person] as number;
      if (group !== NO_PERSON)
        (group === NO_GROUP ? none : (shown.get(group) ?? others)).add(person);
    }
  });
  return { none, others, shown };
}
