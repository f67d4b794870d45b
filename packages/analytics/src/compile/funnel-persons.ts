import type { FunnelBreakdown } from '@tidings/contracts/analytics/funnels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { AskedPersons } from '@tidings/folds/compile/read-persons';
import type { Memory } from '@tidings/folds/memory';
import type { Sql } from '@tidings/postgres/database';
import { compileCondition } from '@tidings/segments/compile/compile-condition';
import { jsonPath } from '@tidings/segments/compile/json-path';
import { foldLeaves } from '@tidings/segments/fold-leaves';
import type { StatementParts } from '@tidings/segments/compile/statement-parts';

/** The persons whom a question is about. Folds the funnels of its condition. @throws TooManyPersons */
export async function compilePersons(
  {
    sql,
    parts,
    memory,
  }: { readonly sql: Sql; readonly parts: StatementParts; readonly memory: Memory },
  {
    condition,
    breakdown,
    hasVisitors,
  }: {
    readonly condition: Condition | null;
    readonly breakdown: FunnelBreakdown | null;
    readonly hasVisitors: boolean;
  },
): Promise<AskedPersons> {
  const value = breakdown === null ? null : compileValue(parts, breakdown);
  if (condition === null)
    return {
      with: '',
      from: 'users u',
      where: `u.application_id = ${parts.application} and ${
        hasVisitors ? 'u.merged_into is null' : 'u.registered_at is not null'
      }`,
      value,
    };
  const { context, now, parameters } = parts;
  const folded = await foldLeaves(sql, { context, conditions: [condition], now }, memory);
  const compiled = compileCondition(condition, {
    context,
    folded,
    shape: 'all',
    now,
    parameters,
  });
  return {
    with: compiled.with,
    from: compiled.from,
    where: `${compiled.isRegistered} and ${compiled.truth}`,
    value,
  };
}

/** Of the user; an attribute of an event is none. */
function compileValue(parts: StatementParts, breakdown: FunnelBreakdown): string | null {
  if ('stepAttribute' in breakdown) return null;
  const { json } =
    'field' in breakdown
      ? jsonPath(parts, 'u.fields', breakdown.field)
      : jsonPath(parts, 'u.custom_attributes', breakdown.attribute);
  return `nullif(${json}, 'null'::jsonb)`;
}
