import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { userOf } from '../../rigs/delivery-rig.ts';
import type { Entry } from '../ledger.ts';
import type { Random } from '../random.ts';

/** Of each person, each with a run of its own. */
export const CARTS = 4;

export const EVENTS = ['cart_left', 'order', 'paid', 'viewed'] as const;
export type EventName = (typeof EVENTS)[number];

const mail = (id: string) =>
  ({
    id,
    send: {
      channel: 'EMAIL',
      message: { title: id, body: 'Cart {{ event.attributes.cart }}.' },
    },
  }) as const;

/** A delay, a split, a wait for an event with a timeout, a goal, and at most two mails for each run. */
export const CART_AUTOMATION: AutomationDefinition = {
  version: 1,
  name: 'Cart',
  purpose: 'transactional',
  trigger: {
    event: { kind: 'action', name: 'cart_left' },
    where: [{ attribute: 'price', gt: 20 }],
  },
  entry: { again: 'always', key: 'cart' },
  exit: [{ event: { kind: 'action', name: 'order' }, as: 'goal' }],
  goalWindow: '1m',
  nodes: [
    { id: 'minute', delay: '1m' },
    {
      id: 'half',
      split: [
        { weight: 1, nodes: [mail('mail1')] },
        { weight: 1, nodes: [] },
      ],
    },
    {
      id: 'paid',
      waitFor: { event: { kind: 'action', name: 'paid' } },
      timeout: '1m',
      // oxlint-disable-next-line unicorn/no-thenable
      then: [],
      else: [mail('mail2')],
    },
  ],
};

/** What people do with their carts: in the request of the cart, or in a later one. */
const KINDS = [
  'leaves',
  'pays',
  'leaves',
  'orders',
  'leaves',
  'orders later',
  'leaves',
  'pays',
  'leaves',
  'pays later',
] as const;
type Kind = (typeof KINDS)[number];

export type CartEvent = {
  readonly name: EventName;
  readonly id: string;
  readonly cart?: string;
  readonly price?: number;
};

/** One request of a person, with its events in their order. */
export type CartRequest = Entry & {
  readonly customUserId: string;
  readonly events: readonly CartEvent[];
  /** Time of the first event once it is sent, in milliseconds; the others follow by one each. */
  firstAt: number | null;
};

/** After the request of the last cart: in its delay, in its wait, or in its goal window. */
const LATER_MS = { least: 2_000, most: 90_000 };
const DEAR = 30;
const CHEAP = 20;
const SENT_TWICE = 0.03;

export type Carts = {
  readonly requests: readonly CartRequest[];
  /** Of the requests that are sent again once they were accepted. */
  readonly again: ReadonlySet<CartRequest>;
  readonly events: number;
};

/**
 * The requests of all people, in rounds: each leaves a cart in each of them. Per person it is eight
 * events: four carts that enter, and four others.
 */
export function planCarts({
  random,
  users,
  prefix,
  requestsPerSecond,
}: {
  readonly random: Random;
  readonly users: number;
  readonly prefix: string;
  readonly requestsPerSecond: number;
}): Carts {
  const timeline: { at: number; request: CartRequest }[] = [];
  const requestsMs = 1_000 / requestsPerSecond;
  for (let user = 0; user < users; user += 1) {
    const kind = KINDS[user % KINDS.length] ?? 'leaves';
    let at = 0;
    for (let round = 0; round < CARTS; round += 1) {
      at = (round + random()) * users * requestsMs;
      timeline.push({ at, request: cartRequest({ prefix, user, round, kind }) });
    }
    const later = kind === 'orders later' ? 'order' : kind === 'pays later' ? 'paid' : undefined;
    if (later === undefined) continue;
    const after = LATER_MS.least + random() * (LATER_MS.most - LATER_MS.least);
    const id = `${prefix}-${user}-later`;
    timeline.push({
      at: at + after,
      request: toRequest(user, [{ name: later, id }]),
    });
  }
  const requests = timeline.toSorted((a, b) => a.at - b.at).map(({ request }) => request);
  return {
    requests,
    again: new Set(requests.filter(() => random() < SENT_TWICE)),
    events: requests.reduce((sum, { events }) => sum + events.length, 0),
  };
}

function cartRequest({
  prefix,
  user,
  round,
  kind,
}: {
  readonly prefix: string;
  readonly user: number;
  readonly round: number;
  readonly kind: Kind;
}): CartRequest {
  const cart = `${prefix}-${user}-${round}`;
  const id = (what: string): string => `${prefix}-${user}-${round}-${what}`;
  const left = { name: 'cart_left', id: id('cart'), cart, price: DEAR } as const;
  if (kind === 'pays') return toRequest(user, [left, { name: 'paid', id: id('paid') }]);
  if (kind === 'orders') return toRequest(user, [left, { name: 'order', id: id('order') }]);
  // Too cheap to enter, or not listened to.
  return toRequest(user, [
    round % 2 === 0
      ? { name: 'cart_left', id: id('cheap'), cart: `${cart}-cheap`, price: CHEAP }
      : { name: 'viewed', id: id('viewed') },
    left,
  ]);
}

const toRequest = (user: number, events: readonly CartEvent[]): CartRequest => ({
  customUserId: userOf(user),
  events,
  firstAt: null,
  attempts: [],
});

/** The same at each attempt, so that a repeat is known as one. */
export function bodyOf(request: CartRequest): string {
  const { customUserId, events } = request;
  const firstAt = (request.firstAt ??= Date.now());
  return JSON.stringify({
    customUserId,
    messages: events.map(({ name, id, cart, price }, index) => ({
      type: 'action',
      id,
      time: firstAt + index,
      customName: name,
      ...(cart !== undefined && { attributes: { cart, price } }),
    })),
  });
}
