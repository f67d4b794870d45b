import type { Goal } from '../report/figures.ts';

/** Goals for the ratio of a figure here to the same figure in the other checkout. */
export const RATIO_GOALS: Readonly<Record<string, Readonly<Record<string, Goal>>>> = {
  email: { deliveries: { atLeast: 3.5 } },
  'email-dkim': { 'deliveries, signed by RSA-2048': { atLeast: 3 } },
  'web-push': { deliveries: { atLeast: 1.45 } },
  hooks: {
    deliveries: { atLeast: 1.15 },
    'CPU of Postgres, per delivery': { atMost: 0.85 },
  },
  'app-push': {
    deliveries: { atLeast: 1.15 },
    'CPU of Postgres, per delivery': { atMost: 0.85 },
  },
};
