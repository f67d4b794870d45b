import type { Sql } from '@tidings/postgres/database';
import { selectMemberships } from '@tidings/segments/members';
import type { Move, PersonMoves, RehearsedPerson, Rehearsing } from './rehearsing.ts';

type Listed = Pick<RehearsedPerson, 'userId' | 'registeredAt'>;
type Asked = Pick<Rehearsing, 'context' | 'from' | 'to'> & {
  /** Whether there is time left. What it cuts off is incomplete. */
  readonly goesOn: () => Promise<boolean>;
};

/** Reads who moves in segments, each person once. */
export type MovesReader = {
  of(slug: string, people: readonly Listed[]): Promise<ReadonlyMap<string, PersonMoves>>;
};

export function createMoves(sql: Sql, asked: Asked): MovesReader {
  const known = new Map<string, Map<string, PersonMoves>>();
  return {
    async of(slug, people) {
      const own = known.get(slug) ?? new Map<string, PersonMoves>();
      known.set(slug, own);
      const missing = people.filter(({ userId }) => !own.has(userId));
      for (const [userId, moves] of await readMoves(sql, asked, { slug, people: missing }))
        own.set(userId, moves);
      return own;
    },
  };
}

/**
 * Asks each of some people when the period begins, or they register, and then at each instant at which
 * time alone may change the answer. At an instant of the past all that was stored since is ahead of it,
 * so these instants are also those of their events and messages.
 */
async function readMoves(
  sql: Sql,
  { context, from, to, goesOn }: Asked,
  { slug, people }: { readonly slug: string; readonly people: readonly Listed[] },
): Promise<ReadonlyMap<string, PersonMoves>> {
  const before = from - 1;
  const ways = new Map<string, { wasMember: boolean; moves: Move[] }>();
  const due = new Map<number, string[]>();
  const askAt = (at: number, userId: string): void => {
    if (at > to) return;
    const others = due.get(at);
    if (others === undefined) due.set(at, [userId]);
    else others.push(userId);
  };
  for (const { userId, registeredAt } of people) {
    ways.set(userId, { wasMember: false, moves: [] });
    askAt(Math.max(registeredAt, before), userId);
  }
  while (due.size > 0 && (await goesOn())) {
    // People whose instants meet are asked together.
    const at = Math.min(...due.keys());
    const userIds = due.get(at) ?? [];
    due.delete(at);
    const condition = { segment: slug };
    for (const { userId, isMember, recheckAt } of await selectMemberships(
      sql,
      { context, condition, now: at },
      userIds,
    )) {
      const way = ways.get(userId);
      if (way === undefined) continue;
      if (at === before) way.wasMember = isMember;
      else if (isMember !== (way.moves.at(-1)?.isMember ?? way.wasMember))
        way.moves.push({ at, isMember });
      if (recheckAt !== null) askAt(recheckAt, userId);
    }
  }
  return ways;
}

/** The last move until an instant; null: there is none. */
const lastMove = ({ moves }: PersonMoves, until: number): Move | null =>
  moves.findLast(({ at }) => at <= until) ?? null;

export const isMemberAt = (of: PersonMoves, at: number): boolean =>
  lastMove(of, at)?.isMember ?? of.wasMember;

/** When someone entered or left a segment, later than a trigger, and stayed so; null: they did not. */
export function movedAt(
  of: PersonMoves | undefined,
  { isMember, after, until }: { isMember: boolean; after: number; until: number },
): number | null {
  const last = of === undefined ? null : lastMove(of, until);
  return last !== null && last.isMember === isMember && last.at > after ? last.at : null;
}
