import type { Channel } from '@tidings/contracts/channels/channels';
import type { Sql } from '@tidings/postgres/database';
import { readAccountPauses, type AccountPause } from './account-pauses.ts';
import { readOpenBreakers, type OpenBreakers } from './open-breakers.ts';

/** What keeps an account from sending. */
export type Obstacles = {
  readonly pause: AccountPause | null;
  readonly breaker: OpenBreakers | null;
};

type ChannelVersion = {
  readonly applicationId: string;
  readonly channel: Channel;
  readonly version: number;
};

/** Those of several accounts of a channel, in the order of their names. */
export async function readAccountObstacles(
  sql: Sql,
  { applicationId, channel, version }: ChannelVersion,
  names: readonly string[],
): Promise<Obstacles[]> {
  const key = { applicationId, channel, version };
  const [pauses, breakers] = await Promise.all([
    readAccountPauses(sql, key),
    Promise.all(names.map((receiver) => readOpenBreakers(sql, { ...key, receiver }))),
  ]);
  return breakers.map((breaker, index) => ({
    pause: pauses.get(names[index] ?? '') ?? null,
    breaker,
  }));
}

/**
 * The breaker of a channel whose accounts that may send have these obstacles: the one that is probed
 * first. Null while one of them sends, and when all are paused.
 */
export function breakerOfAll(obstacles: readonly Obstacles[]): OpenBreakers | null {
  if (obstacles.some(({ pause, breaker }) => pause === null && breaker === null)) return null;
  const waiting = obstacles.flatMap(({ pause, breaker }) =>
    pause === null && breaker !== null ? [breaker] : [],
  );
  return waiting.toSorted((one, other) => one.probeAt - other.probeAt)[0] ?? null;
}
