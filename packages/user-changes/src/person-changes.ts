import type { Sql } from '@tidings/postgres/database';
import { appendChanges, type UserChange } from './changes.ts';
import { PROFILE, readListens, REGISTERED, type Listens } from './listens.ts';

/** What a transaction did to a person. */
export type PersonChange = {
  readonly applicationId: string;
  readonly userId: string;
  /** The anonymous user that was merged into the person. */
  readonly anonymousId?: string;
  readonly hasRegistered?: boolean;
};

/**
 * Appends those changes of persons that their applications listen to. Call it as `appendChanges`.
 * @callers people, users-consumer
 */
export async function appendPersonChanges(
  sql: Sql,
  persons: readonly PersonChange[],
): Promise<void> {
  if (persons.length === 0) return;
  const listens = await readListens(
    sql,
    persons.map(({ applicationId }) => applicationId),
  );
  await appendChanges(sql, changesOfPersons(listens, persons));
}

/**
 * The changes that the applications of these persons listen to. One that was merged or has
 * registered has another profile as well.
 */
export function changesOfPersons(
  listens: Listens,
  persons: readonly PersonChange[],
): readonly UserChange[] {
  const heard = (name: string): readonly PersonChange[] =>
    persons.filter(({ applicationId }) => listens.get(applicationId)?.has(name) === true);
  const profiles = new Set(heard(PROFILE).map(({ userId }) => userId));
  return [
    ...heard(REGISTERED).flatMap(({ userId, anonymousId, hasRegistered = false }): UserChange[] => [
      ...(anonymousId === undefined ? [] : [{ kind: 'merged', userId, anonymousId } as const]),
      ...(hasRegistered ? [{ kind: 'registered', userId } as const] : []),
    ]),
    ...[...profiles].map((userId) => ({ kind: 'profile', userId }) as const),
  ];
}
