import type { Condition } from '@tidings/contracts/segments/conditions';
import { createSettings } from '@tidings/folds/compile/settings';
import { createFold, type Fold } from '@tidings/folds/fold';
import { createMemory } from '@tidings/folds/memory';
import { readInstant } from '@tidings/folds/read-instant';
import { copyOut } from '@tidings/postgres/copy-out';
import type { Sql } from '@tidings/postgres/database';
import { compileCondition } from '@tidings/segments/compile/compile-condition';
import type { FunnelOf } from '@tidings/segments/compile/fold-funnel';
import type { Draw } from '@tidings/segments/draws';
import { toMs } from '@tidings/segments/durations';
import { intervalOf } from '@tidings/segments/estimate';
import { foldLeavesOf } from '@tidings/segments/fold-leaves';
import { EVERYONE } from '@tidings/segments/members';
import { compilePersonEvents, compileSteps, partsOf, slugsOfSteps } from './person-events.ts';
import { createStepCounts, stepsOf, type FunnelStepResult } from '../funnel-result.ts';

/** With 95 % certainty `users` is between `low` and `high`. */
export type EstimatedStep = FunnelStepResult & { readonly low: number; readonly high: number };

export type FunnelEstimate = {
  readonly steps: readonly EstimatedStep[];
  /** All users were asked. */
  readonly isExact: boolean;
};

/** Users of a statement. Between two of them the time is looked at. */
const BATCH = 500;
const MEMORY_MIB = 16;

/**
 * Estimates the numbers of a funnel from drawn users. Where these have many events, from as many of
 * them as the time allows: the bounds are wider then. For `askUsers`.
 * @param isOver whether the time is over
 */
export async function estimateFunnel(
  sql: Sql,
  question: FunnelOf & { readonly condition: Condition | null },
  { drawn, isOver }: { readonly drawn: Draw; readonly isOver: () => boolean },
): Promise<FunnelEstimate> {
  const { funnel, now } = question;
  const times = { steps: funnel.steps.length, windowMs: toMs(funnel.window), now };
  const fold = createFold(times, createMemory(MEMORY_MIB));
  // Draws come in the order of an index: some of them would not be drawn at random.
  const users = shuffled(drawn.customUserIds);
  let asked = 0;
  let members = 0;
  while (asked < users.length && (asked === 0 || !isOver())) {
    const ids = await selectIds(sql, question, users.slice(asked, asked + BATCH));
    await foldPersons(sql, { ...question, ids }, { fold, firstPerson: members });
    asked += BATCH;
    members += ids.length;
  }
  const counts = createStepCounts(fold, times);
  for (let person = 0; person < members; person += 1) counts.add(person);
  const of = { drawn: Math.min(asked, users.length), registered: drawn.registered };
  return {
    steps: scaleSteps(stepsOf([counts]), of),
    isExact: drawn.isAll && asked >= users.length,
  };
}

/** To all registered users. Sums stay sums: what is added up is rounded after it. */
function scaleSteps(
  steps: readonly FunnelStepResult[],
  of: { readonly drawn: number; readonly registered: number },
): EstimatedStep[] {
  const interval = (members: number) => intervalOf({ members, ...of });
  return steps.map(({ users, open, ...step }, index) => {
    const { count, low, high } = interval(users);
    const next = steps[index + 1];
    if (next === undefined || open === undefined) return { ...step, users: count, low, high };
    const nextCount = interval(next.users).count;
    const withOpen = interval(next.users + open).count;
    return {
      ...step,
      users: count,
      low,
      high,
      dropped: count - withOpen,
      open: withOpen - nextCount,
    };
  });
}

/** Of some users, those whom the question is about. */
async function selectIds(
  sql: Sql,
  { context, condition, now }: FunnelOf & { readonly condition: Condition | null },
  customUserIds: readonly string[],
): Promise<string[]> {
  const asked = condition ?? EVERYONE;
  const { parameters, ...compiled } = compileCondition(asked, {
    context,
    folded: await foldLeavesOf(sql, { context, conditions: [asked], now }, { customUserIds }),
    shape: 'given',
    now,
  });
  const { rows } = await sql.query<{ id: string }>(
    `select u.id from ${compiled.from}
     where ${compiled.isRegistered}
       and u.custom_user_id = any(${parameters.add(customUserIds, 'text[]')}) and ${compiled.truth}`,
    parameters.values,
  );
  return rows.map(({ id }) => id);
}

/** Folds the events of some persons, one person after the other: memory does not grow with events. */
async function foldPersons(
  sql: Sql,
  { ids, ...of }: FunnelOf & { readonly ids: readonly string[] },
  { fold, firstPerson }: { readonly fold: Fold; readonly firstPerson: number },
): Promise<void> {
  const { funnel, from, to, now } = of;
  const settings = createSettings();
  const parts = partsOf(of, settings);
  const bound = (value: number): string => settings.add(value, 'bigint');
  const isInRange = `e.time >= ${bound(from)}
    and e.time < ${bound(Math.min(to + toMs(funnel.window), now + 1))}`;
  const isEntry = `e.time < ${bound(to)}`;
  const bits = compileSteps(parts, funnel.steps).map(({ isNamed, comparisons }, step) => {
    const conditions = [isNamed, ...(step === 0 ? [isEntry] : []), ...comparisons];
    return `case when ${conditions.join(' and ')} then ${1 << step} else 0 end`;
  });
  const events = compilePersonEvents(
    parts,
    { ids, slugs: slugsOfSteps(parts, funnel.steps) },
    (isOf) => `select e.time, ${bits.join(' + ')} as steps from events e
      where ${isOf} and ${isInRange} offset 0`,
  );
  await settings.apply(sql);

  let [person, instant] = [-1, Number.NaN];
  let masks: number[] = [];
  const flush = (): void => {
    if (masks.length > 0) fold.apply(person, instant, masks);
    masks = [];
  };
  await copyOut(
    sql,
    `select u.no::int, e.time, e.steps from ${events} where e.steps > 0 order by u.no, e.time`,
    {
      fields: 3,
      onRow: ({ bytes, offsets }) => {
        const own = firstPerson + bytes.readInt32BE(offsets[0]) - 1;
        const time = readInstant(bytes, offsets[1] as number);
        if (own !== person || time !== instant) flush();
        [person, instant] = [own, time];
        masks.push(bytes.readInt32BE(offsets[2]));
      },
    },
  );
  flush();
}

function shuffled<T>(values: readonly T[]): T[] {
  const order = [...values];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}
