import type {
  RetentionQuestion,
  RetentionResult,
  TrendQuestion,
  TrendResult,
} from '@tidings/web/src/api/analytics.ts';
import type { Answer, Answers, Call } from './answer-calls.ts';
import { APPLICATION_ID } from './pages.ts';
import { list, one } from './long-answers/values.ts';

const STEP_MS = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
} as const;

/** The begins of periods in a range of a zone without clock changes. */
function beginsOf(
  { from, to }: { readonly from: number; readonly to: number },
  stepMs: number,
): number[] {
  return Array.from(
    { length: Math.max(1, Math.ceil((to - from) / stepMs)) },
    (_, index) => from + index * stepMs,
  );
}

const ANSWERED = { timeZone: 'UTC', warnings: [], tookMs: 412, store: 'postgres' } as const;

/** What the service answers about trends: waves of a week, larger for the first series. */
export function answerTrend({ body }: Call): Answer {
  const question = body as TrendQuestion;
  const begins = beginsOf(question, STEP_MS[question.step]);
  const last = begins.at(-1) ?? question.to;
  const isPast = question.to < Date.now() - STEP_MS.day;
  const part = (scale: number) => {
    const points = begins.map((at, index) => ({
      at,
      value: Math.round(
        scale *
          (1 + 0.35 * Math.sin((index / 7) * 2 * Math.PI) + index / 90) *
          (at === last && !isPast ? 0.35 : 1),
      ),
    }));
    return { points, total: points.reduce((sum, { value }) => sum + value, 0) };
  };
  const result: TrendResult = {
    ...ANSWERED,
    series: question.series.map((_, index) => {
      const scale = (isPast ? 10_900 : 12_200) / (1 + index * 2.2);
      return {
        ...part(scale),
        ...(question.breakdown !== undefined && {
          groups: GROUPS.map((value, at) => ({ value, ...part((scale * 0.4) / (at + 1)) })),
          othersGroups: 15,
          others: part(scale / 20),
        }),
      };
    }),
    partialFrom: isPast ? null : last,
    asOf: Date.now(),
  };
  return one(result);
}
const GROUPS = ['shoes', 'garden', 'ספרים', 'toys', null] as const;

/** And about retention: fewer each period, the last of each cohort not over. */
function answerRetention({ body }: Call): Answer {
  const question = body as RetentionQuestion;
  const begins = beginsOf(question, STEP_MS[question.period]);
  const result: RetentionResult = {
    ...ANSWERED,
    cohorts: begins.map((at, index) => {
      const users = 1_180 + ((index * 137) % 520);
      const left = begins.length - 1 - index;
      return {
        at,
        users,
        returned: Array.from({ length: question.periods }, (_, period) =>
          period > left
            ? null
            : Math.round(
                (users * (period === left ? 0.55 : 1) * (0.52 + ((index * 7) % 5) / 60)) /
                  (period + 1) ** 0.55,
              ),
        ),
        isPartial: Array.from({ length: question.periods }, (_, period) => period === left),
      };
    }),
    partialFrom: begins.at(-1) ?? null,
    asOf: Date.now(),
  };
  return one(result);
}

const PEOPLE = [
  {
    customUserId: 'u-1',
    firstName: 'Anna',
    lastName: 'Fischer',
    email: 'anna@people.example',
    phoneNumber: null,
  },
  {
    customUserId: 'u-2',
    firstName: 'Farid',
    lastName: 'Haddad',
    email: null,
    phoneNumber: '+4915111',
  },
];

const definition = (slug: string, name: string, events: number) => ({
  slug,
  name,
  kind: 'action',
  origin: 'auto',
  discarded: false,
  byClientKey: false,
  createdAt: 1_795_256_400_000,
  events,
  eventsLastDay: 12,
  lastReceivedAt: 1_795_256_400_000,
});

/** Answers to every question about trends and retention. */
export const ANALYTICS_QUESTIONS: Answers = {
  'POST trends/result': answerTrend,
  'POST trends/users': list(...PEOPLE),
  'POST retention/result': answerRetention,
  'POST retention/users': list(...PEOPLE),
};

/** A shop with four events, its zone, and those answers. */
export const ANALYTICS_ANSWERS: Answers = {
  'GET definitions': list(
    definition('viewd', 'item_viewed', 409_035),
    definition('cartd', 'cart_filled', 48_918),
    { ...definition('order', 'order_paid', 15_522), kind: 'revenue' },
    { ...definition('stock', 'stock_counted', 900_000), kind: 'businessEvent' },
  ),
  'GET funnels': list(),
  'GET segments': list({
    slug: 'gold',
    name: 'Gold readers',
    condition: { attribute: 'plan', is: 'gold' },
    version: 1,
    createdAt: 1_795_256_400_000,
    updatedAt: 1_795_256_400_000,
    updatedBy: 'member:mia@shop.example',
    usedBy: [],
  }),
  [`GET applications/${APPLICATION_ID}`]: one({
    applicationId: APPLICATION_ID,
    name: 'Demonstration',
    settings: { timeZone: 'Asia/Kathmandu' },
    createdAt: 1_795_256_400_000,
  }),
  'GET suggestions': one({
    asked: 100,
    fields: [],
    attributes: [
      { attribute: 'category', type: 'string', count: 90, values: [{ value: 'shoes', count: 30 }] },
    ],
  }),
  'GET revenue': one({
    timeZone: 'Asia/Kathmandu',
    items: [],
    outside: 0,
    byArrival: 0,
    countedFrom: null,
    currencies: [{ currency: 'EUR', events: 3, revenue: 66 }],
  }),
  ...ANALYTICS_QUESTIONS,
};
