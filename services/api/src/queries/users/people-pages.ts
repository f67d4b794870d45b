import { PEOPLE_FOUND_MAX } from '@tidings/api-spec/endpoints/segments';
import type { Person } from '@tidings/api-spec/person-schema';
import type { Sql } from '@tidings/postgres/database';
import { toPage, toUserCursor } from '../../http/page.ts';
import { findPeople } from './find-people.ts';
import { readPeople } from './read-people.ts';

/** The customUserIds of registered users whom a text may mean, best matches first. */
export async function findCandidates(
  sql: Sql,
  { text, ...asked }: Omit<Parameters<typeof findPeople>[1], 'limit'>,
): Promise<readonly string[]> {
  const people = await findPeople(sql, { ...asked, text: text.trim(), limit: PEOPLE_FOUND_MAX });
  return people.map((person) => person.custom_user_id);
}

export function inOrderOf(order: readonly string[], some: readonly string[]): string[] {
  const kept = new Set(some);
  return order.filter((each) => kept.has(each));
}

/** A page of members, of whom one more than `limit` was read. */
export async function pageOfPeople(
  sql: Sql,
  applicationId: string,
  { members, limit }: { readonly members: readonly string[]; readonly limit: number },
): Promise<{ readonly items: readonly Person[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = toPage(members, limit, toUserCursor);
  return { items: await personsOf(sql, applicationId, items), nextCursor };
}

/** Who was deleted since the question is left out. */
export async function personsOf(
  sql: Sql,
  applicationId: string,
  customUserIds: readonly string[],
): Promise<readonly Person[]> {
  const people = await readPeople(sql, applicationId, customUserIds);
  return customUserIds.flatMap((customUserId) => people.get(customUserId) ?? []);
}
