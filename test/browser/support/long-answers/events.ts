import type {
  ArrivedEvent,
  EventChart,
  Definition,
  DefinitionDetail,
  Revenue,
  StoredEvent,
} from '@tidings/web/src/api/types.ts';
import type { Answers } from '../answer-calls.ts';
import { AT, ATTRIBUTES, list, one, LONG } from './values.ts';

const { id, slug, customUserId, messageId, customName } = LONG;
export const storedEvents: readonly StoredEvent[] = [
  {
    id: messageId,
    type: 'action',
    slug,
    name: customName,
    time: AT,
    receivedAt: AT,
    attributes: ATTRIBUTES,
  },
  {
    id: 'm2',
    type: 'revenue',
    slug,
    name: 'order_paid',
    time: -9_223_372_036_854_775_808n,
    receivedAt: AT,
    revenue: 123_456_789.01,
    currency: 'EUR',
  },
];
const arrived = storedEvents.map((event): ArrivedEvent => ({
  ...event,
  time: AT,
  requestId: id,
  customUserId,
}));
const definitions = [customName, 'click'].map((name, index): Definition => ({
  slug: index === 0 ? slug : 'wwwww',
  name,
  kind: 'businessEvent',
  origin: 'predefined',
  discarded: false,
  byClientKey: false,
  createdAt: AT,
  events: 1_234_567_890,
  eventsLastDay: 12_345_678,
  lastReceivedAt: AT,
  ...(index === 1 && { mergedInto: slug }),
}));
const [definition] = definitions as [Definition];
/** Without it there is nothing to ask about people. */
const ofPeople: Definition = { ...definition, slug: 'actnn', kind: 'action' };
const detail: DefinitionDetail = { ...definition, samples: arrived.slice(0, 1) };
export const chart = {
  timeZone: 'America/Argentina/ComodRivadavia',
  outside: 1_234_567,
  byArrival: 1_234_567,
  countedFrom: AT,
};
export const hours = Array.from({ length: 24 }, (_, index) => ({
  at: AT - (AT % 3_600_000) - (23 - index) * 3_600_000,
  events: 1_234_567,
  revenue: { EUR: 123_456_789_012.34 },
}));
const eventChart: EventChart = { ...chart, items: hours };
const revenue: Revenue = {
  ...chart,
  currencies: ['EUR', 'JPY'].map((currency) => ({
    currency,
    events: 1_234_567,
    revenue: 123_456_789_012.34,
  })),
  items: hours,
};

export const EVENT_ANSWERS: Answers = {
  'GET events': list(...arrived),
  'GET definitions': list(...definitions, ofPeople),
  [`GET definitions/${slug}`]: one(detail),
  [`GET definitions/${slug}/chart`]: one(eventChart),
  'GET revenue': one(revenue),
};
