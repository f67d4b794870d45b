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
  I1: 80,
  I2: 80,
  I5: 60,
  I6: 50,
  I7: 90,
  I8: 55,
  I9: 100,
  I10: 45,
  I14: 165,
  I15: 55,
  I16: 240,
  I18: 40,
  I21: 60,
  I28: 80,
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
  D3: 220,
  D4: 180,
  D4b: 80,
  D9: 70,
  D10: 35,
  D11: 140,
  D13: 45,
  D16: 130,
  D17: 100,
  D19: 80,
  D20: 45,
  D22: 80,
  D24: 900,
  D25: 170,
  D26: 170,
  D28: 110,
  D29: 70,
  D30: 600,
  D31: 300,
  D32: 250,
  D33: 180,
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
export const ROLLING_LONG_FORM_SECONDS: Readonly<Record<string, number>> = { R15: 240 };

/** Short form, for every test run. */
export const ROLLING_SHORT_PLAN: Plan = {
  kills: 1,
  outageMs: 3_000,
  requestsPerSecond: 4,
  applications: 1,
  users: 100,
};

/** Approximate seconds per row of several processes on two cores. */
export const PROCESSES_LONG_FORM_SECONDS: Readonly<Record<string, number>> = {
  P4: 150,
  P17: 150,
  P18: 190,
};

/** Approximate seconds per row of the upgrade on two cores. */
export const UPGRADE_LONG_FORM_SECONDS: Readonly<Record<string, number>> = {
  U15: 300,
  U16: 400,
};

/**
 * Rounds of a slice alone and one beside the attack, which both take `outageMs`. So few requests that
 * an installation hardly uses a CPU.
 */
export const NEIGHBOURS_LONG_PLAN: Plan = {
  kills: 3,
  outageMs: 15_000,
  requestsPerSecond: 10,
  applications: 2,
  users: 20,
};

/** Approximate seconds per row of neighbours on two cores, without another version. */
export const NEIGHBOURS_LONG_FORM_SECONDS: Readonly<Record<string, number>> = {
  N1: 150,
  N2: 150,
  N3: 200,
  N4: 150,
  N5: 180,
};

/**
 * Long form of automations: two requests with events a second for each of them, 20,000 events that
 * make 10,000 runs. Ten times as many users are the full form.
 */
export const AUTOMATIONS_LONG_PLAN: Plan = {
  kills: 50,
  outageMs: 30_000,
  requestsPerSecond: 70,
  applications: 1,
  users: 2_500,
};

/** Approximate seconds per row of automations on two cores. */
export const AUTOMATIONS_LONG_FORM_SECONDS: Readonly<Record<string, number>> = {
  A2: 420,
  A4: 420,
  A4b: 200,
  A5: 420,
  A9: 420,
  A15: 420,
  A17: 420,
  A21: 480,
  A34: 420,
  A35: 120,
  A36: 60,
  A37: 240,
};

/** Short form, for every test run. */
export const AUTOMATIONS_SHORT_PLAN: Plan = {
  kills: 6,
  outageMs: 4_000,
  requestsPerSecond: 40,
  applications: 1,
  users: 50,
};
