import { stringifyExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { countTrend } from './trend-counts.ts';
import { compileTrendEvents, type TrendOf } from './trend-events.ts';

/** A number of a series: of a point, and of a group; both absent: of all. */
export type TrendPart = {
  /** The index of a point. */
  readonly point?: number;
  /** `null`: those without a value. `others`: all beyond the largest. */
  readonly group?: { readonly value: unknown } | 'others';
};

/** A page of the people of a number by customUserId. In one transaction. */
export async function listTrendPeople(
  sql: Sql,
  { part, ...of }: TrendOf & { readonly part: TrendPart },
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
): Promise<string[]> {
  // A value that no part of the statement names has no type.
  const breakdown = part.group === undefined ? null : of.breakdown;
  const { parts, asked, isOfEvent, ...events } = await compileTrendEvents(
    sql,
    { ...of, breakdown },
    true,
  );
  if (asked === null) throw new Error('people of no users');
  const { add, values } = parts.parameters;
  const isPoint = part.point === undefined ? [] : [`d.point = ${add(part.point + 1, 'int')}`];
  const isGroup = await compileGroup(isOfEvent ? 'd.value' : `(${asked.value})`);
  const done = [...isPoint, ...(isOfEvent ? isGroup : [])];
  const isLater = cursor === undefined ? [] : [`u.custom_user_id > ${add(cursor, 'text')}`];
  const where = [
    asked.where,
    `u.id in (select d.person from done d ${done.length === 0 ? '' : `where ${done.join(' and ')}`})`,
    ...(isOfEvent ? [] : isGroup),
    ...isLater,
  ];
  const { rows } = await sql.query<{ custom_user_id: string }>(
    `${events.with} select u.custom_user_id from ${asked.from}
     where ${where.join(' and ')}
     order by u.custom_user_id limit ${add(limit, 'bigint')}`,
    values,
  );
  return rows.map((row) => row.custom_user_id);

  async function compileGroup(value: string): Promise<string[]> {
    const { group } = part;
    if (group === undefined) return [];
    if (group !== 'others')
      return [
        group.value === null
          ? `${value} is null`
          : `${value} = ${add(stringifyExactJson(group.value), 'jsonb')}`,
      ];
    const { groups = [] } = await countTrend(sql, of);
    const shown = groups.flatMap((each) =>
      each.value === null ? [] : [stringifyExactJson(each.value)],
    );
    return [`${value} is not null and ${value} <> all(${add(shown, 'jsonb[]')})`];
  }
}
