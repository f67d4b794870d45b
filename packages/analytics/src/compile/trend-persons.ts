import { readMergedUsers } from '@tidings/folds/compile/read-persons';
import { createSettings } from '@tidings/folds/compile/settings';
import { createMemory, type Memory } from '@tidings/folds/memory';
import { createPersonBits, type PersonBits } from '@tidings/folds/person-bits';
import { createPersonIds, type PersonIds } from '@tidings/folds/person-ids';
import { readInstant } from '@tidings/folds/read-instant';
import { parseExactJson } from '@tidings/platform';
import { copyOut } from '@tidings/postgres/copy-out';
import type { Sql } from '@tidings/postgres/database';
import type { StatementParts } from '@tidings/segments/compile/statement-parts';
import { countByGroup, readGroups } from '../read-groups.ts';
import { compilePersons } from './funnel-persons.ts';
import {
  compileMatches,
  ofUser,
  type TrendCounts,
  type TrendOf,
  type TrendSeriesCounts,
} from './trend-events.ts';

/**
 * Counts the persons of a series, who count once in each point and once in the range; parts are by
 * a value of theirs. In one transaction that sees one moment.
 * @throws TooManyPersons, TooManyValues
 */
export async function countTrendPersons(sql: Sql, of: TrendOf): Promise<TrendSeriesCounts> {
  const memory = createMemory(of.memoryMiB);
  const settings = createSettings();
  const parts: StatementParts = {
    shape: 'all',
    context: of.context,
    parameters: settings,
    now: of.now,
    application: settings.add(of.context.applicationId, 'uuid'),
    joins: [],
  };
  const matches = compileMatches(parts, of);
  await settings.apply(sql);
  const { persons, points } = await readPoints(sql, parts, { ...of, matches, memory });
  const asked = await compilePersons(
    { sql, parts, memory },
    { condition: of.condition, breakdown: ofUser(of.breakdown), hasVisitors: false },
  );
  await settings.apply(sql);
  const grouped = await readGroups(sql, persons, { asked, memory });

  const { none, others, shown } = await countByGroup(
    grouped,
    createCounts(of.starts.length, points),
  );
  const all = sumOf([none, others, ...shown.values()]);
  if (of.breakdown === null) return all;
  return {
    ...all,
    groups: [
      ...[...shown].map(([group, counts]) => ({
        value: parseExactJson(grouped.values[group] ?? 'null'),
        ...sumOf([counts]),
      })),
      { value: null, ...sumOf([none]) },
    ],
    othersGroups: grouped.othersGroups,
    others: grouped.othersGroups === 0 ? null : sumOf([others]),
  };
}

/** Who has an event, and in which points: a bit for each, so that events come in any order. */
async function readPoints(
  sql: Sql,
  { application }: StatementParts,
  {
    matches,
    starts,
    memory,
  }: Pick<TrendOf, 'starts'> & { readonly matches: string; readonly memory: Memory },
): Promise<{ readonly persons: PersonIds; readonly points: PersonBits }> {
  const persons = createPersonIds(memory);
  const points = createPersonBits(starts.length, memory);
  const merged = await readMergedUsers(sql, application, memory);
  let point = 0;
  await copyOut(
    sql,
    `select e.time, e.user_id from events e where e.user_id is not null and ${matches}`,
    {
      fields: 2,
      onRow: ({ bytes, offsets }) => {
        const time = readInstant(bytes, offsets[0] as number);
        point = pointOf(starts, time, point);
        const id = merged.resolve(bytes, offsets[1] as number);
        points.set(persons.add(id.bytes, id.offset), point);
      },
    },
  );
  return { persons, points };
}

/** The point of an event. @param last that of the event before: indexes have events in their order */
function pointOf(starts: readonly number[], time: number, last: number): number {
  const isIn = (point: number): boolean =>
    time >= (starts[point] as number) && time < (starts[point + 1] ?? Number.POSITIVE_INFINITY);
  if (isIn(last)) return last;
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (time >= (starts[middle] as number)) low = middle;
    else high = middle - 1;
  }
  return low;
}

type Counts = { readonly points: Float64Array; total: number; add(person: number): void };

function createCounts(size: number, points: PersonBits): () => Counts {
  return () => {
    const counts: Counts = {
      points: new Float64Array(size),
      total: 0,
      add(person) {
        counts.total += 1;
        points.visit(person, (point) => {
          counts.points[point] = (counts.points[point] as number) + 1;
        });
      },
    };
    return counts;
  };
}

/** A person is in one of them. */
const sumOf = (some: readonly Counts[]): TrendCounts => ({
  points: new Map(
    Array.from(some[0]?.points ?? [], (_, point) => [
      point,
      some.reduce((sum, { points }) => sum + (points[point] as number), 0),
    ]),
  ),
  total: some.reduce((sum, { total }) => sum + total, 0),
});
