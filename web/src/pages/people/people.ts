import type { Condition } from '@tidings/contracts/segments/conditions';
import { useList } from '../../api/queries.ts';
import type { Delivery, Person, User } from '../../api/types.ts';
import type { Query } from '../../api/client.ts';
import { toText } from '../../lib/text.ts';

/**
 * Who is behind a number: the members of a condition, recipients of a campaign by their outcome, or those whom a
 * question counted.
 */
export type PeopleSource =
  | { readonly condition: Condition }
  | { readonly campaignId: string; readonly outcome: Query }
  | {
      readonly asked: { readonly path: string; readonly body: object };
      /** The condition that has the same people; null where none says it. */
      readonly same: Condition | null;
    };

/** A person in a panel, and what else is known: why a message failed. */
export type ListedPerson = Omit<Person, 'customUserId'> & {
  readonly customUserId: string;
  readonly reason: Delivery['reason'];
};

/** The condition that has the people of a source, if one has. */
export function conditionOf(source: PeopleSource): Condition | null {
  if ('asked' in source) return source.same;
  return 'condition' in source ? source.condition : null;
}

/** What the people of a source are searched by; null where the service searches none. */
export function searchedBy(source: PeopleSource): string | null {
  if ('asked' in source) return null;
  return 'condition' in source ? 'Name, e-mail, phone or id' : 'Exact user id';
}

/** A list of the API with the people of a source. */
export function askFor(
  source: PeopleSource,
  search: string,
): { readonly path: string; readonly query: Query; readonly body?: unknown } {
  if ('asked' in source) return { ...source.asked, query: {} };
  return 'condition' in source
    ? { path: 'segments/users', query: { search }, body: { condition: source.condition } }
    : {
        path: `campaigns/${source.campaignId}/deliveries`,
        query: { ...source.outcome, customUserId: search },
      };
}

const ROWS = 50;

/** The people, page by page. */
export function usePeople(source: PeopleSource, search: string) {
  const { path, ...options } = askFor(source, search);
  const list = useList<Person | Delivery>(path, { ...options, rows: ROWS });
  return {
    ...list,
    people: list.data?.pages.flatMap(({ items }) => items.map(toListed)),
  };
}

const UNKNOWN = { firstName: null, lastName: null, email: null, phoneNumber: null };

function toListed(item: Person | Delivery): ListedPerson {
  if (!('deliveryId' in item)) return { ...item, reason: null };
  return { ...UNKNOWN, ...item.person, customUserId: item.customUserId, reason: item.reason };
}

/** How a person is called: by name, or else by id. */
export const nameOf = ({
  firstName,
  lastName,
  customUserId,
}: Pick<ListedPerson, 'firstName' | 'lastName' | 'customUserId'>): string =>
  [firstName, lastName].filter(Boolean).join(' ').trim() || customUserId;

/** The same of a person whose whole profile is read; by id until it is. */
export const nameOfUser = (customUserId: string, user: Pick<User, 'profile'> | undefined): string =>
  nameOf({
    customUserId,
    firstName: toText(user?.profile['firstName']),
    lastName: toText(user?.profile['lastName']),
  });
