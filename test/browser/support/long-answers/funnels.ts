import type { Funnel, FunnelResult, FunnelVersion, Person } from '@tidings/web/src/api/types.ts';
import type { Answers } from '../answer-calls.ts';
import { AT, list, LONG, many, one } from './values.ts';

const { slug, email, words, segmentSlug, customUserId, messageId } = LONG;

const definition = {
  steps: [
    { event: slug, where: [{ attribute: many('an_attribute_', 64), is: words }] },
    { event: slug },
    { event: slug },
    { event: slug },
  ],
  window: '365d',
};
const funnel: Funnel = {
  slug: segmentSlug,
  name: words,
  ...definition,
  version: 12_345,
  createdAt: AT,
  updatedAt: AT,
  updatedBy: `member:${email}`,
  usedBy: [],
};
const version: FunnelVersion = {
  version: 12_345,
  name: words,
  ...definition,
  createdAt: AT,
  createdBy: `member:${email}`,
};

const YEAR_MS = 31_535_999_999;
const steps: FunnelResult['steps'] = [12_345_678, 8_345_678, 2_345_678, 1_234_567].map(
  (users, index, all) => ({
    users,
    fromStart: users / 12_345_678,
    fromPrevious: users / (all[index - 1] ?? users),
    ...(index < all.length - 1 && {
      dropped: users - (all[index + 1] ?? 0) - 1_000_000,
      open: 1_000_000,
    }),
    medianMs: index === 0 ? null : YEAR_MS,
    p90Ms: index === 0 ? null : YEAR_MS,
  }),
);
const result: FunnelResult = {
  steps,
  groups: [words, 'DE', 1_234_567.89, true].map((value) => ({ value, steps })),
  othersGroups: 99_990,
  others: steps,
  warnings: [
    {
      code: 'definition_discarded',
      pointer: '/steps/0/event',
      detail: `The definition ${slug} does not accept events any more.`,
    },
  ],
  asOf: AT,
  tookMs: 14_999,
  store: 'postgres',
};

const person: Person = {
  customUserId,
  firstName: words,
  lastName: words,
  email,
  phoneNumber: '+4915112345678',
};

export const FUNNEL_ANSWERS: Answers = {
  'GET funnels': list<Funnel>(funnel),
  [`GET funnels/${segmentSlug}`]: one(funnel),
  [`GET funnels/${segmentSlug}/versions`]: list<FunnelVersion>(version),
  'POST funnels/preview': one({
    steps: steps.map((step) => ({ ...step, low: step.users - 1_000, high: step.users + 1_000 })),
    isExact: false,
    warnings: [],
    asOf: AT,
    tookMs: 299,
    store: 'postgres',
  }),
  'POST funnels/result': one(result),
  'POST funnels/users': list<Person>(person),
  'POST funnels/explain': one({
    reached: 1,
    state: 'dropped',
    steps: [
      { at: AT, eventId: messageId },
      {
        missing: {
          lookedUntil: AT,
          nextAfterwards: { at: AT + YEAR_MS, eventId: messageId },
          rejected: [{ eventId: messageId, pointer: '/steps/0/where/0' }],
        },
      },
    ],
    asOf: AT,
  }),
};
