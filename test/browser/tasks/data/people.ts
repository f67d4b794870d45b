import { LIMITS } from '@tidings/contracts/limits';

export type LoadedPerson = {
  readonly customUserId: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly city: string;
  /** Null: has none, and gets no SMS. */
  readonly phoneNumber: string | null;
  /** Whether an order was paid within 30 days. */
  readonly isBuyer: boolean;
};

const NAMES: readonly (readonly [string, string])[] = [
  ['Ada', 'Lovelace'],
  ['נועה', 'לוי'],
  ['پریسا', 'رضایی'],
  ['Jean', 'Bartik'],
  ['אורי', 'כהן'],
  ['کاوه', 'احمدی'],
  ['Grace', 'Hopper'],
];
const PLACES = [
  { city: 'Berlin', country: 'DE', timeZone: 'Europe/Berlin' },
  { city: 'Tel Aviv', country: 'IL', timeZone: 'Asia/Jerusalem' },
  { city: 'Tehran', country: 'IR', timeZone: 'Asia/Tehran' },
  { city: 'New York', country: 'US', timeZone: 'America/New_York' },
  { city: 'Auckland', country: 'NZ', timeZone: 'Pacific/Auckland' },
] as const;
const LONG_ID_CHARS = 200;
const EVERY_LONG_ID = 97;
const EVERY_WITHOUT_PHONE = 10;
const EVERY_BUYER = 4;

/** The events that people do, besides orders. More than a picker shows without a search. */
const ACTIONS = [
  'item_viewed',
  'item_searched',
  'item_compared',
  'item_shared',
  'cart_filled',
  'cart_emptied',
  'wish_noted',
  'order_returned',
  'review_written',
  'app_opened',
  'newsletter_read',
];
export const PURCHASE = 'order_paid';

const DAY_MS = 86_400_000;
/** A day less than the 30 of the conditions: loading and tasks take time. */
const DAYS = 29;

export function person(index: number): LoadedPerson {
  const [firstName = '', lastName = ''] = NAMES[index % NAMES.length] ?? [];
  const id = `user-${index}`;
  return {
    customUserId: index % EVERY_LONG_ID === 1 ? `${id}-`.padEnd(LONG_ID_CHARS, 'long') : id,
    firstName,
    lastName,
    email: `${id}@people.example`,
    city: placeOf(index).city,
    phoneNumber:
      index % EVERY_WITHOUT_PHONE === 0 ? null : `+49 1512 ${String(index).padStart(7, '0')}`,
    isBuyer: index % EVERY_BUYER === 0,
  };
}

const placeOf = (index: number): (typeof PLACES)[number] =>
  PLACES[index % PLACES.length] ?? PLACES[0];

/** The requests that register a person with events of the last 30 days. */
export function* requestsOf(
  index: number,
  { events, now }: { readonly events: number; readonly now: number },
): Iterable<{ readonly customUserId: string; readonly messages: readonly object[] }> {
  const { customUserId, firstName, lastName, email, city, phoneNumber } = person(index);
  const { country, timeZone } = placeOf(index);
  const messages: object[] = [
    {
      type: 'user',
      id: `register-${index}`,
      time: now,
      firstName,
      lastName,
      email,
      city,
      country,
      phoneNumber,
      customAttributes: { timeZone, plan: index % 3 === 0 ? 'gold' : 'free' },
    },
  ];
  for (let event = 0; event < events; event++) messages.push(eventOf(index, event, now));
  for (let from = 0; from < messages.length; from += LIMITS.messagesMax)
    yield { customUserId, messages: messages.slice(from, from + LIMITS.messagesMax) };
}

function eventOf(index: number, event: number, now: number): object {
  // Spread over all days, and the same in each run.
  const time = now - ((index * 7_919 + event * 104_729) % DAYS) * DAY_MS - event * 60_000;
  const id = `event-${index}-${event}`;
  if (event === 0 && person(index).isBuyer)
    return { type: 'revenue', id, time, customName: PURCHASE, revenue: 49.9, currency: 'EUR' };
  const customName = ACTIONS[(index + event) % ACTIONS.length];
  return { type: 'action', id, time, customName, attributes: { item: `item-${event}` } };
}
