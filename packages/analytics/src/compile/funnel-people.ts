import { FUNNEL_PARTS, type FunnelState } from '@tidings/contracts/analytics/funnels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { Sql } from '@tidings/postgres/database';
import { createMemory } from '@tidings/folds/memory';
import type { PersonIds } from '@tidings/folds/person-ids';
import { compileCondition } from '@tidings/segments/compile/compile-condition';
import { foldFunnel, type FunnelOf } from '@tidings/segments/compile/fold-funnel';
import { toMs } from '@tidings/segments/durations';
import { EVERYONE } from '@tidings/segments/members';
import { isOpen } from '../funnel-result.ts';

/** A number of a funnel, whose people are asked for. */
export type FunnelPart = { readonly state: FunnelState; readonly step: number };

/**
 * The part that a caller names: `reached` and the first step by default, and of `converted` the last
 * step.
 */
export function readFunnelPart(
  { state = FUNNEL_PARTS[0], step }: { readonly state?: FunnelState; readonly step?: number },
  steps: number,
): FunnelPart | { readonly errors: readonly FieldError[] } {
  const fault = (code: FieldError['code'], expected: string) => ({
    errors: [{ pointer: '/step', code, expected }],
  });
  if (state === 'converted')
    return step === undefined
      ? { state, step: steps }
      : fault('invalid_value', 'no step: who converted reached the last one');
  const last = state === 'reached' ? steps : steps - 1;
  return step !== undefined && step > last
    ? fault('out_of_range', `at most ${last}`)
    : { state, step: step ?? 1 };
}

/** A page of the people of a number by customUserId. In one transaction. @throws TooManyPersons */
export async function listFunnelPeople(
  sql: Sql,
  {
    part,
    condition,
    memoryMiB,
    ...of
  }: FunnelOf & {
    readonly part: FunnelPart;
    readonly condition: Condition | null;
    readonly memoryMiB: number;
  },
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
): Promise<string[]> {
  const { fold, persons } = await foldFunnel(sql, of, createMemory(memoryMiB));
  const times = {
    steps: of.funnel.steps.length,
    windowMs: toMs(of.funnel.window),
    now: of.now,
  };
  const isPart = (person: number): boolean => {
    const reached = fold.reached(person);
    if (part.state === 'reached' || part.state === 'converted') return reached >= part.step;
    return reached === part.step && isOpen(fold, person, times) === (part.state === 'open');
  };
  const { context, now } = of;
  const { parameters, ...compiled } = compileCondition(condition ?? EVERYONE, {
    context,
    shape: 'all',
    now,
  });
  const ids = parameters.add(idsOf(persons, isPart), 'uuid[]');
  const isLater =
    cursor === undefined ? '' : `and u.custom_user_id > ${parameters.add(cursor, 'text')}`;
  const { rows } = await sql.query<{ custom_user_id: string }>(
    `${compiled.with} select u.custom_user_id from ${compiled.from}
     where ${compiled.isRegistered} and u.id = any(${ids}) ${isLater} and ${compiled.truth}
     order by u.custom_user_id limit ${parameters.add(limit, 'bigint')}`,
    parameters.values,
  );
  return rows.map((row) => row.custom_user_id);
}

function idsOf(persons: PersonIds, isPart: (person: number) => boolean): string[] {
  const bytes = Buffer.alloc(16);
  const ids: string[] = [];
  for (let person = 0; person < persons.size; person += 1) {
    if (!isPart(person)) continue;
    persons.write(person, bytes, 0);
    ids.push(bytes.toString('hex'));
  }
  return ids;
}
