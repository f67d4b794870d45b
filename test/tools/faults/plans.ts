import type { Plan } from './fault-row.ts';

/**
 * Long form of ingest: long enough for timeouts, sessions and back-offs, at a rate for two cores.
 */
export const INGEST_LONG_PLAN: Plan = {
  kills: 20,
  outageMs: 30_000,
  requestsPerSecond: 150,
  applications: 3,
  users: 100,
};

export const LONG_SEEDS = 3;

/** Approximate seconds per row in the long form on two cores. */
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

/** From this outage on, Kafka is down for longer than a gateway's deadline. */
export const PATIENT_FROM_MS = 15_000;

/** A short deadline for rows with shorter outages. */
export const SHORT_PATIENCE = { INGEST_DEADLINE_MS: '3000' } as const;

/** Short form, for every test run. */
export const INGEST_SHORT_PLAN: Plan = {
  kills: 3,
  outageMs: 6_000,
  requestsPerSecond: 50,
  applications: 2,
  users: 20,
};

/**
 * Long form of delivery: pushes to one recipient per second, besides a large campaign per channel
 * at any time.
 */
export const DELIVERY_LONG_PLAN: Plan = {
  kills: 20,
  outageMs: 15_000,
  requestsPerSecond: 15,
  applications: 3,
  users: 2_500,
};

/** Approximate seconds per row in the long form on two cores. */
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

/** Short form, for every test run. */
export const DELIVERY_SHORT_PLAN: Plan = {
  kills: 2,
  outageMs: 3_000,
  requestsPerSecond: 6,
  applications: 2,
  users: 200,
};

/**
 * Long form of the rolling restart: rounds of all services, and pushes to one recipient per second,
 * besides the other load.
 */
export const ROLLING_LONG_PLAN: Plan = {
  kills: 3,
  outageMs: 15_000,
  requestsPerSecond: 8,
  applications: 2,
  users: 1_000,
};

/** Approximate seconds per row in the long form on two cores. */
export const ROLLING_LONG_FORM_SECONDS: Readonly<Record<string, number>> = { F15: 240 };

/** Short form, for every test run. */
export const ROLLING_SHORT_PLAN: Plan = {
  kills: 1,
  outageMs: 3_000,
  requestsPerSecond: 4,
  applications: 1,
  users: 100,
};
