import type { Funnel, FunnelResult } from '@tidings/web/src/api/types.ts';
import { LONG_ANSWERS } from './long-answers/long-answers.ts';
import type { Answer, Answers, Call } from './answer-calls.ts';

export const AS_OF = Date.parse('2026-11-29T12:04:00Z');
export const HOUR_MS = 3_600_000;
export const STEPS: FunnelResult['steps'] = [
  {
    users: 40_435,
    fromStart: 1,
    fromPrevious: 1,
    dropped: 11_211,
    open: 1_104,
    medianMs: null,
    p90Ms: null,
  },
  {
    users: 28_120,
    fromStart: 0.6954,
    fromPrevious: 0.6954,
    dropped: 8_145,
    open: 4_453,
    medianMs: 3 * HOUR_MS,
    p90Ms: 50 * HOUR_MS,
  },
  {
    users: 15_522,
    fromStart: 0.3839,
    fromPrevious: 0.552,
    medianMs: 0.8 * HOUR_MS,
    p90Ms: 34 * HOUR_MS,
  },
];
export const RESULT: FunnelResult = {
  steps: STEPS,
  warnings: [],
  asOf: AS_OF,
  tookMs: 1_900,
  store: 'postgres',
};
export const DEFINITION = {
  steps: [{ event: 'viewd' }, { event: 'cartd' }, { event: 'bougt' }],
  window: '7d',
};
export const FUNNEL: Funnel = {
  slug: 'buying',
  name: 'View to purchase',
  ...DEFINITION,
  version: 3,
  createdAt: 1,
  updatedAt: 1,
  updatedBy: 'member:mia@shop.example',
  usedBy: [],
};
const PEOPLE = [
  { customUserId: 'u-1', firstName: 'Anna', lastName: 'Müller', email: 'a@example.com' },
  { customUserId: 'u-2', firstName: 'יוסי', lastName: null, email: null },
].map((person) => ({ ...person, phoneNumber: null }));
export const list = (...items: readonly unknown[]): Answer => ({
  json: { items, nextCursor: null },
});
export const problem = (status: number, changes: object = {}): Answer => ({
  status,
  json: {
    type: 'about:blank',
    title: 'It failed',
    detail: `It failed with ${status}.`,
    status,
    code: 'validation_failed',
    requestId: 'r',
    ...changes,
  },
});
export const FUNNEL_PAGE_ANSWERS: Answers = {
  ...LONG_ANSWERS,
  'GET definitions': list(
    { slug: 'viewd', name: 'item_viewed', kind: 'action', events: 900 },
    { slug: 'cartd', name: 'cart_filled', kind: 'action', events: 500 },
    { slug: 'bougt', name: 'item_bought', kind: 'revenue', events: 100 },
    { slug: 'nightly', name: 'nightly_run', kind: 'businessEvent', events: 100 },
  ),
  'GET segments': list(),
  'GET suggestions': { json: { asked: 0, fields: [], attributes: [] } },
  'GET funnels': list(FUNNEL),
  'GET funnels/buying': { json: FUNNEL },
  'POST funnels/preview': problem(404),
  'POST funnels/result': { json: RESULT },
  'POST funnels/users': list(...PEOPLE),
};

/** What was asked of a call, in order. */
export const asked = (calls: readonly Call[], name = 'POST funnels/result') =>
  calls.filter((call) => call.name === name).map(({ body }) => body as Record<string, unknown>);
