import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { createMemory } from '@tidings/folds/memory';
import type { Sql } from '@tidings/postgres/database';
import { compileCondition } from './compile/compile-condition.ts';
import type { FoldedLeaves } from './compile/folded-leaves.ts';
import { foldLeaves, foldLeavesOf } from './fold-leaves.ts';
import type { ConditionContext } from './condition-context.ts';

/** A condition, at one moment. */
export type Question = {
  readonly context: ConditionContext;
  readonly condition: Condition;
  /** Milliseconds. */
  readonly now: number;
};

/** About all users. */
type QuestionOfAll = Question & {
  /** For the persons of its funnels. */
  readonly memoryMiB: number;
};

/** The funnels of conditions about all users. @throws TooManyPersons */
const foldAll = (
  sql: Sql,
  { memoryMiB, condition, ...of }: QuestionOfAll,
  others: readonly Condition[] = [],
): Promise<FoldedLeaves> =>
  foldLeaves(sql, { ...of, conditions: [condition, ...others] }, createMemory(memoryMiB));

export type MemberCount = {
  readonly count: number;
  /** Members whom a transactional message would reach now. */
  readonly reachable: Readonly<Record<Channel, number>>;
};

/** Counts the registered users of whom a condition is true. For `QuestionQueue.ask`. */
export async function countMembers(sql: Sql, question: QuestionOfAll): Promise<MemberCount> {
  const { count, counts } = await countOthers(
    sql,
    question,
    CHANNELS.map((reachable) => ({ reachable })),
  );
  return {
    count,
    reachable: Object.fromEntries(
      CHANNELS.map((channel, index) => [channel, counts[index] ?? 0]),
    ) as Record<Channel, number>,
  };
}

/**
 * Counts the members of a condition, and those of them of whom each other one is true. For
 * `QuestionQueue.ask`.
 */
export async function countOthers(
  sql: Sql,
  question: QuestionOfAll,
  others: readonly Condition[],
): Promise<{ readonly count: number; readonly counts: readonly number[] }> {
  const { parameters, ...compiled } = compileCondition(question.condition, {
    ...question,
    folded: await foldAll(sql, question, others),
    shape: 'all',
    others,
  });
  const counts = compiled.others.map((truth) => `(count(*) filter (where ${truth}))::int`);
  const { rows } = await sql.query<{ count: number; counts: number[] }>(
    `${compiled.with} select count(*)::int as count, array[${counts.join(', ')}]::int[] as counts
     from ${compiled.from} where ${compiled.isRegistered} and ${compiled.truth}`,
    parameters.values,
  );
  return rows[0] ?? { count: 0, counts: [] };
}

/** A page of the members by customUserId. For `QuestionQueue.ask`. */
export async function listMembers(
  sql: Sql,
  question: QuestionOfAll,
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
): Promise<string[]> {
  const { parameters, ...compiled } = compileCondition(question.condition, {
    ...question,
    folded: await foldAll(sql, question),
    shape: 'all',
  });
  const isLater =
    cursor === undefined ? '' : `and u.custom_user_id > ${parameters.add(cursor, 'text')}`;
  const { rows } = await sql.query<{ custom_user_id: string }>(
    `${compiled.with} select u.custom_user_id from ${compiled.from}
     where ${compiled.isRegistered} ${isLater} and ${compiled.truth}
     order by u.custom_user_id limit ${parameters.add(limit, 'bigint')}`,
    parameters.values,
  );
  return rows.map((row) => row.custom_user_id);
}

/**
 * A statement for the customUserIds of all members, and its values: for a statement that stores
 * them.
 * @param folded the funnels of the condition, by `foldLeavesApart`
 */
export function compileMembers(
  { condition, ...rest }: Question,
  folded: FoldedLeaves = new Map(),
): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  const { parameters, ...compiled } = compileCondition(condition, {
    ...rest,
    folded,
    shape: 'all',
  });
  return {
    text: `${compiled.with} select u.custom_user_id from ${compiled.from}
      where ${compiled.isRegistered} and ${compiled.truth}`,
    values: parameters.values,
  };
}

/** Of some users, named by their internal ids, those of whom a condition is true. */
export async function selectMembers(
  sql: Sql,
  question: Question,
  userIds: readonly string[],
): Promise<Set<string>> {
  const { condition, ...rest } = question;
  const folded = await foldLeavesOf(sql, { ...rest, conditions: [condition] }, { userIds });
  const { parameters, ...compiled } = compileCondition(condition, {
    ...rest,
    folded,
    shape: 'given',
  });
  const { rows } = await sql.query<{ id: string }>(
    `select u.id from ${compiled.from}
     where ${compiled.isRegistered} and u.id = any(${parameters.add(userIds, 'uuid[]')})
       and ${compiled.truth}`,
    parameters.values,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether a user is a member, and until when that stays so unless something happens to them. */
export type Membership = {
  readonly userId: string;
  readonly isMember: boolean;
  /** Milliseconds; null: time alone never changes it. */
  readonly recheckAt: number | null;
};

/**
 * Of some registered users, whether a condition is true of them, and the first instant at which time
 * alone may change that. Of a condition that may be live.
 */
export async function selectMemberships(
  sql: Sql,
  question: Question,
  userIds: readonly string[],
): Promise<Membership[]> {
  const { condition, ...rest } = question;
  const { parameters, ...compiled } = compileCondition(condition, {
    ...rest,
    shape: 'given',
    hasRechecks: true,
  });
  const { rows } = await sql.query<{ id: string; is_member: boolean; recheck: number | null }>(
    `select u.id, ${compiled.truth} as is_member, ${compiled.recheck} as recheck
     from ${compiled.from}
     where ${compiled.isRegistered} and u.id = any(${parameters.add(userIds, 'uuid[]')})`,
    parameters.values,
  );
  return rows.map((row) => ({ userId: row.id, isMember: row.is_member, recheckAt: row.recheck }));
}

/** Of some users, named by their customUserIds, those of whom a condition is true. */
export async function selectCustomUserIds(
  sql: Sql,
  question: Question,
  customUserIds: readonly string[],
): Promise<string[]> {
  const members = await selectWithOthers(sql, { ...question, customUserIds }, []);
  return members.map(({ customUserId }) => customUserId);
}

/** As `selectCustomUserIds`, with which of further conditions are true of each, in their order. */
export async function selectWithOthers(
  sql: Sql,
  {
    condition,
    customUserIds,
    ...rest
  }: Question & {
    readonly customUserIds: readonly string[];
  },
  others: readonly Condition[],
): Promise<{ readonly customUserId: string; readonly others: readonly boolean[] }[]> {
  const conditions = [condition, ...others];
  const folded = await foldLeavesOf(sql, { ...rest, conditions }, { customUserIds });
  const { parameters, ...compiled } = compileCondition(condition, {
    ...rest,
    folded,
    shape: 'given',
    others,
  });
  const { rows } = await sql.query<{ customUserId: string; others: boolean[] }>(
    `select u.custom_user_id as "customUserId", array[${compiled.others.join(', ')}]::boolean[] as others
     from ${compiled.from}
     where ${compiled.isRegistered}
       and u.custom_user_id = any(${parameters.add(customUserIds, 'text[]')}) and ${compiled.truth}`,
    parameters.values,
  );
  return rows;
}

/** Conditions of one statement; each may have as many leaves as its bounds permit. */
const CONDITIONS_PER_STATEMENT = 20;

/**
 * Which of several conditions are true of a registered user, in their order; null if there is none
 * with this customUserId. For `askUsers`.
 */
export async function testConditions(
  sql: Sql,
  {
    conditions,
    customUserId,
    ...rest
  }: Omit<Question, 'condition'> & {
    readonly conditions: readonly Condition[];
    readonly customUserId: string;
  },
): Promise<readonly boolean[] | null> {
  const results: boolean[] = [];
  for (let start = 0; start === 0 || start < conditions.length; start += CONDITIONS_PER_STATEMENT) {
    const others = conditions.slice(start, start + CONDITIONS_PER_STATEMENT);
    const { parameters, ...compiled } = compileCondition(EVERYONE, {
      ...rest,
      folded: await foldLeavesOf(
        sql,
        { ...rest, conditions: others },
        { customUserIds: [customUserId] },
      ),
      shape: 'given',
      others,
    });
    const { rows } = await sql.query<{ results: boolean[] }>(
      `select array[${compiled.others.join(', ')}]::boolean[] as results from ${compiled.from}
       where ${compiled.isRegistered}
         and u.custom_user_id = ${parameters.add(customUserId, 'text')}`,
      parameters.values,
    );
    if (rows[0] === undefined) return null;
    results.push(...rows[0].results);
  }
  return results;
}

/** True of every registered user. */
export const EVERYONE: Condition = { field: 'registeredAt', exists: true };
