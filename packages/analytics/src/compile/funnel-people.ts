import {
  FUNNEL_PARTS,
  type FunnelBreakdown,
  type FunnelState,
} from '@tidings/contracts/analytics/funnels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { Sql } from '@tidings/postgres/database';
import type { Fold } from '@tidings/folds/fold';
import { isInPart, type FunnelPart } from '@tidings/folds/funnel-state';
import { createMemory } from '@tidings/folds/memory';
import type { PersonIds } from '@tidings/folds/person-ids';
import { foldFunnel, type FunnelOf } from '@tidings/segments/compile/fold-funnel';
import { stepFault } from '@tidings/segments/leaves/check-funnel';
import { toMs } from '@tidings/segments/durations';
import { groupPersons, isInGroup, type AskedGroup } from '../group-persons.ts';
import { listFoldedPeople } from './folded-people.ts';

/**
 * The part that a caller names: `reached` and the first step by default, and of `converted` the last
 * step.
 */
export function readFunnelPart(
  { state = FUNNEL_PARTS[0], step }: { readonly state?: FunnelState; readonly step?: number },
  steps: number,
): FunnelPart | { readonly errors: readonly FieldError[] } {
  const asked = state === 'converted' ? step : (step ?? 1);
  const fault = stepFault({ state, ...(asked !== undefined && { step: asked }) }, steps);
  return fault === null
    ? { state, step: asked ?? steps }
    : { errors: [{ pointer: '/step', ...fault }] };
}

/** The group that a caller names; null: all of them. */
export function readFunnelGroup({
  breakdown,
  group,
  others,
}: {
  readonly breakdown?: unknown;
  readonly group?: unknown;
  readonly others?: true | undefined;
}): AskedGroup | null | { readonly errors: readonly FieldError[] } {
  const fault = (pointer: string, expected: string) => ({
    errors: [{ pointer, code: 'invalid_value' as const, expected }],
  });
  if (group === undefined && others === undefined) return null;
  if (breakdown === undefined)
    return fault(group === undefined ? '/others' : '/group', 'a breakdown beside it');
  if (group === undefined) return { others: true };
  if (typeof group === 'object' && group !== null)
    return fault('/group', 'text, a number, true, false or null');
  return others === undefined ? { value: group } : fault('/others', 'no group beside others');
}

/** A page of the people of a number by customUserId. In one transaction. @throws TooManyPersons */
export async function listFunnelPeople(
  sql: Sql,
  {
    part,
    condition,
    memoryMiB,
    breakdown = null,
    group = null,
    ...of
  }: FunnelOf & {
    readonly part: FunnelPart;
    readonly condition: Condition | null;
    readonly memoryMiB: number;
    readonly breakdown?: FunnelBreakdown | null;
    /** Of the breakdown; null: all. */
    readonly group?: AskedGroup | null;
  },
  page: { readonly cursor?: string; readonly limit: number },
): Promise<string[]> {
  const memory = createMemory(memoryMiB);
  const { fold, persons, isInAsked } = await readPersons();
  const times = {
    fold,
    steps: of.funnel.steps.length,
    windowMs: toMs(of.funnel.window),
    now: of.now,
  };
  return listFoldedPeople(
    sql,
    {
      context: of.context,
      condition,
      now: of.now,
      persons,
      isIn: (person) => isInAsked(person) && isInPart(times, part, person),
      memory,
    },
    page,
  );

  async function readPersons(): Promise<{
    readonly fold: Fold;
    readonly persons: PersonIds;
    readonly isInAsked: (person: number) => boolean;
  }> {
    if (group === null) return { ...(await foldFunnel(sql, of, memory)), isInAsked: () => true };
    const question = { ...of, condition, breakdown, hasVisitors: false };
    const grouped = await groupPersons(sql, question, memory);
    const isIn = isInGroup(grouped, group);
    return { ...grouped, isInAsked: (person) => isIn(grouped.groupOf[person] as number) };
  }
}
