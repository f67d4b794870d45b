import type { FunnelBreakdown } from '@tidings/contracts/analytics/funnels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { NO_GROUP } from '@tidings/folds/groups';
import type { Memory } from '@tidings/folds/memory';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import {
  foldFunnel,
  type FoldedFunnel,
  type FunnelOf,
} from '@tidings/segments/compile/fold-funnel';
import { compilePersons } from './compile/funnel-persons.ts';
import { readGroups, type PersonGroups } from './read-groups.ts';

/** A funnel, and whom it is about. */
export type AskedFunnel = FunnelOf & {
  /** Whom it is about, as they are now; null: all. */
  readonly condition: Condition | null;
  readonly breakdown: FunnelBreakdown | null;
  /** Also persons who were never registered. */
  readonly hasVisitors: boolean;
};

/** Who entered a funnel, and in which group of its breakdown each is. */
export type GroupedPersons = FoldedFunnel & PersonGroups;

/** A group of a breakdown: those with a value, without one (null), or with none of the largest. */
export type AskedGroup = { readonly value: unknown } | { readonly others: true };

/** In one transaction that sees one moment. @throws TooManyPersons, TooManyValues */
export async function groupPersons(
  sql: Sql,
  question: AskedFunnel,
  memory: Memory,
): Promise<GroupedPersons> {
  const { breakdown } = question;
  const stepAttribute =
    breakdown !== null && 'stepAttribute' in breakdown ? breakdown.stepAttribute : null;
  const folded = await foldFunnel(sql, { ...question, stepAttribute }, memory);
  const { fold, persons, parts, settings } = folded;
  const asked = await compilePersons({ sql, parts, memory }, question);
  await settings.apply(sql);
  const ofEvents = stepAttribute === null ? null : { groups: folded.groups, of: fold.groupOf };
  return { ...folded, ...(await readGroups(sql, persons, { asked, ofEvents, memory })) };
}

/** Which persons are in a group. */
export function isInGroup(
  { values, largest }: Pick<GroupedPersons, 'values' | 'largest'>,
  asked: AskedGroup,
): (group: number) => boolean {
  if ('others' in asked) {
    const shown = new Set(largest);
    return (group) => group >= 0 && !shown.has(group);
  }
  if (asked.value === null) return (group) => group === NO_GROUP;
  // Neither is an object. Integers beyond 2^53 are bigints in both.
  const wanted = values.findIndex((text) => parseExactJson(text) === asked.value);
  return (group) => group >= 0 && group === wanted;
}
