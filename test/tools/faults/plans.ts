import type { Plan } from './fault-row.ts';

/** Ingest's form for a decision: long enough for timeouts, sessions and back-offs to come and go, at a rate that two cores bear beside everything else. */
export const INGEST_LONG_PLAN: Plan = {
  kills: 20,
  outageMs: 30_000,
  requestsPerSecond: 150,
  applications: 3,
  users: 100,
};

export const LONG_SEEDS = 3;

/** About what one run of each row takes in the long form on two cores. */
export const INGEST_LONG_FORM_SECONDS: Readonly<Record<string, number>> = {
  F1: 80,
  F2: 80,
  F5: 60,
  F6: 50,
  F7: 90,
  F8: 55,
  F9: 100,
  F10: 45,
  F14: 165,
  F15: 55,
  F16: 240,
  F18: 40,
  F21: 60,
  F28: 80,
};

/** Outages from here on are longer than a gateway waits for Kafka. */
export const PATIENT_FROM_MS = 15_000;

/** For rows whose outages are shorter than the gateway's usual patience. */
export const SHORT_PATIENCE = { INGEST_DEADLINE_MS: '3000' } as const;

/** The form for every test run. */
export const INGEST_SHORT_PLAN: Plan = {
  kills: 3,
  outageMs: 6_000,
  requestsPerSecond: 50,
  applications: 2,
  users: 20,
};

/** Delivery's form for a decision: pushes to one recipient a second, beside a large campaign to some of the users by each channel at any time. */
export const DELIVERY_LONG_PLAN: Plan = {
  kills: 20,
  outageMs: 15_000,
  requestsPerSecond: 15,
  applications: 3,
  users: 2_500,
};

/** About what one run of each row takes in the long form on two cores. */
export const DELIVERY_LONG_FORM_SECONDS: Readonly<Record<string, number>> = {
  F3: 220,
  F4: 180,
  F4b: 80,
  F9: 70,
  F10: 35,
  F11: 140,
  F13: 45,
  F16: 130,
  F17: 100,
  F19: 80,
  F20: 45,
  F22: 80,
  F24: 900,
  F25: 170,
  F26: 170,
  F28: 110,
  F29: 70,
};

/** The form for every test run. */
export const DELIVERY_SHORT_PLAN: Plan = {
  kills: 2,
  outageMs: 3_000,
  requestsPerSecond: 6,
  applications: 2,
  users: 200,
};

/** The rolling restart's form for a decision: rounds of all services, and pushes to one recipient a second, beside everything else that goes on. */
export const ROLLING_LONG_PLAN: Plan = {
  kills: 3,
  outageMs: 15_000,
  requestsPerSecond: 8,
  applications: 2,
  users: 1_000,
};

/** About what one run of each row takes in the long form on two cores. */
export const ROLLING_LONG_FORM_SECONDS: Readonly<Record<string, number>> = { F15: 240 };

/** The form for every test run. */
export const ROLLING_SHORT_PLAN: Plan = {
  kills: 1,
  outageMs: 3_000,
  requestsPerSecond: 4,
  applications: 1,
  users: 100,
};
