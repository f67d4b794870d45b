const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A message of the ingest API. */
type Message = Readonly<Record<string, unknown>> & { readonly time: number };

/** What one person did, in one request. */
export type PersonHistory = {
  readonly customUserId: string;
  readonly messages: readonly Message[];
};

const WEEKS = 12;
/** Of each week, oldest first: the shop grows. */
const NEW_PEOPLE = [4, 5, 5, 6, 7, 7, 8, 8, 9, 10, 11, 12];
/** Of those who are new in a week, who visits the shop in the weeks after. */
const RETURNS = [1, 0.58, 0.46, 0.4, 0.36, 0.33, 0.3, 0.28, 0.26, 0.24, 0.22, 0.2];
/** The automation of the demonstration mails about carts of the last hour. */
const YOUNGEST_MS = 2 * HOUR_MS;

const NAMES = [
  ['Anna', 'Fischer'],
  ['Farid', 'Haddad'],
  ['Mina', 'Karimi'],
  ['Noa', 'לוי'],
  ['健', '佐藤'],
  ['Lena', 'Wagner'],
  ['Tomás', 'Silva'],
  ['Zoë', 'de Vries'],
  ['Jonas', 'Becker'],
  ['سارا', 'احمدی'],
  ['Emma', 'Hoffmann'],
  ['Luca', 'Rossi'],
  ['Maya', 'Cohen'],
  ['Ole', 'Hansen'],
  ['Ines', 'Martin'],
  ['Paul', 'Schneider'],
] as const;
const CITIES = ['Berlin', 'Hamburg', 'Tehran', 'תל אביב', '東京'] as const;
const ITEMS = [
  ['Gyokuro', 'tea', 22],
  ['Darjeeling', 'tea', 14],
  ['Ethiopia', 'coffee', 16],
  ['Colombia', 'coffee', 13],
  ['Teapot', 'ceramics', 48],
  ['Cup', 'ceramics', 12],
  ['Kettle', 'kitchen', 79],
] as const;

/** The same numbers in each installation. */
function createDraws(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    next,
    /** Whether something of this probability happens. */
    is: (share: number): boolean => next() < share,
    /** One of a list; the first ones more often. */
    pick: <List extends readonly [unknown, ...unknown[]]>(list: List): List[number] =>
      list[Math.floor(next() ** 1.4 * list.length)] ?? list[0],
  };
}
type Draws = ReturnType<typeof createDraws>;

/**
 * Twelve weeks of a shop before `now`: people sign up, come back in later weeks, look at items, fill carts and order.
 * Nothing is younger than two hours.
 */
export function buildShopHistory(now: number): readonly PersonHistory[] {
  const draws = createDraws(61);
  return NEW_PEOPLE.flatMap((count, week) =>
    Array.from({ length: count }, (_, place) => {
      const number = NEW_PEOPLE.slice(0, week).reduce((sum, each) => sum + each, 0) + place;
      return buildPerson(number, { week, draws, now });
    }),
  );
}

type Drawing = { readonly week: number; readonly draws: Draws; readonly now: number };

function buildPerson(number: number, { week, draws, now }: Drawing): PersonHistory {
  const customUserId = `shop-${number + 1}`;
  const [firstName, lastName] = NAMES[number % NAMES.length] ?? NAMES[0];
  const begin = now - (WEEKS - week) * 7 * DAY_MS;
  const signedUp = begin + draws.next() * 6 * DAY_MS;
  const visits = RETURNS.slice(0, WEEKS - week).flatMap((share, after) =>
    draws.is(share)
      ? [signedUp + after * 7 * DAY_MS + draws.next() * DAY_MS * (after === 0 ? 0.1 : 5)]
      : [],
  );
  const done = [
    action('signed_up', signedUp, { from: draws.pick(['search', 'friend', 'newsletter']) }),
    ...visits.flatMap((at) => visit(at, draws)),
  ];
  const profile = {
    type: 'user',
    time: signedUp,
    firstName,
    lastName,
    email: `${customUserId}@people.example`,
    city: draws.pick(CITIES),
    customAttributes: { plan: draws.is(0.3) ? 'gold' : 'free' },
  };
  return {
    customUserId,
    messages: [profile, ...done]
      .filter(({ time }) => time <= now - YOUNGEST_MS)
      .map((message, index) => ({
        id: `${customUserId}-${index}`,
        ...message,
        time: Math.floor(message.time),
      })),
  };
}

const action = (customName: string, time: number, attributes: object): Message => ({
  type: 'action',
  time,
  customName,
  attributes,
});

/** Some looks; after some of them a cart, and after some carts an order, at once or days later. */
function visit(at: number, draws: Draws): readonly Message[] {
  const looks = 1 + Math.floor(draws.next() * 3);
  const messages: Message[] = [];
  let time = at;
  let item = draws.pick(ITEMS);
  for (let look = 0; look < looks; look += 1) {
    item = draws.pick(ITEMS);
    messages.push(
      action('item_viewed', time, { name: item[0], category: item[1], price: item[2] }),
    );
    time += (2 + draws.next() * 10) * 60_000;
  }
  if (!draws.is(0.52)) return messages;
  messages.push(action('cart_filled', time, { name: item[0], category: item[1], price: item[2] }));
  if (!draws.is(0.55)) return messages;
  const waited = draws.is(0.7) ? draws.next() * HOUR_MS : draws.next() * 3 * DAY_MS;
  return [
    ...messages,
    {
      type: 'revenue',
      time: time + 60_000 + waited,
      customName: 'order_paid',
      revenue: item[2],
      currency: 'EUR',
    },
  ];
}
