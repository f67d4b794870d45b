import { wilsonInterval } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import type { Draw } from './draws.ts';
import { selectWithOthers, type Question } from './members.ts';
import { openSequencesOf } from './open-sequences-of.ts';

const SHOWN_MAX = 20;

/** How many members a condition probably has: with 95 % certainty between `low` and `high`. */
export type Estimate = {
  readonly count: number;
  readonly low: number;
  readonly high: number;
  /** All users were asked. */
  readonly isExact: boolean;
  /** customUserIds of a few members. */
  readonly sample: readonly string[];
  readonly stillOpen: readonly StillOpen[];
};

/** How many members a following event, which did not come yet, may reach in its time. */
export type StillOpen = { readonly pointer: string; readonly count: number };

/** Estimates from drawn users. For `askUsers`. */
export async function estimateMembers(
  sql: Sql,
  question: Question,
  { customUserIds, registered, isAll }: Draw,
): Promise<Estimate> {
  const sequences = openSequencesOf(question.condition, question.now);
  const members = await selectWithOthers(
    sql,
    { ...question, customUserIds },
    sequences.map(({ condition }) => condition),
  );
  const interval = (some: number) =>
    intervalOf({ members: some, drawn: customUserIds.length, registered });
  return {
    ...interval(members.length),
    isExact: isAll,
    sample: members.slice(0, SHOWN_MAX).map(({ customUserId }) => customUserId),
    stillOpen: sequences.map(({ pointer }, index) => ({
      pointer,
      count: interval(members.filter(({ others }) => others[index] === true).length).count,
    })),
  };
}

/** Wilson's interval of a share, of all registered users. */
export function intervalOf({
  members,
  drawn,
  registered,
}: {
  readonly members: number;
  readonly drawn: number;
  readonly registered: number;
}): Pick<Estimate, 'count' | 'low' | 'high'> {
  if (drawn === registered) return { count: members, low: members, high: members };
  if (drawn === 0) return { count: 0, low: 0, high: registered };
  const { low, high } = wilsonInterval({ hits: members, of: drawn });
  return {
    count: Math.round((members / drawn) * registered),
    low: Math.max(members, Math.floor(low * registered)),
    high: Math.min(registered - (drawn - members), Math.ceil(high * registered)),
  };
}
