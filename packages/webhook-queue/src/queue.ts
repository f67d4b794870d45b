import type {
  WebhookAttempt,
  WebhookDisabledReason,
  WebhookFailureReason,
  WebhookKind,
} from '@tidings/contracts/webhooks';
import type { SecretBox } from '@tidings/platform';
import { pgArrayLiteral } from '@tidings/postgres/pg-array-literal';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { decryptWebhookSecrets } from './secrets.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * A webhook claimed by one process until its lease ends. The fence distinguishes this claim from
 * later ones.
 */
export type ClaimedWebhook = {
  readonly deliveryId: string;
  readonly fence: number;
  readonly endpointId: string;
  readonly applicationId: string;
  readonly url: string;
  /** The valid secrets, newest first; null when the current key cannot decrypt them. */
  readonly secrets: readonly string[] | null;
  readonly eventId: string;
  readonly type: WebhookKind;
  readonly occurredAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
  /** Attempts before this claim. */
  readonly attempts: number;
};

/** Which endpoints to claim for, and the maximum number of webhooks. */
export type ClaimLimits = {
  /** Only these endpoints. Absent: all except those in `except`. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly rowsByEndpoint: ReadonlyMap<string, number>;
  readonly rowsPerOther: number;
  readonly rowsMax: number;
};

/**
 * Claims due webhooks, for each endpoint at most its free slots, so that a long queue does not
 * block other endpoints.
 *
 * A claimed webhook may have been sent by a process that was killed before it recorded the outcome.
 * It is sent again with the same id.
 * @callers webhooks
 */
export async function claimWebhooks(
  db: Database,
  box: SecretBox,
  limits: ClaimLimits & { readonly leaseMs: number },
): Promise<ClaimedWebhook[]> {
  const { rows } = await db.sql.query<ClaimedRow>(statement('claim-webhooks'), [
    limits.only === undefined ? null : pgArrayLiteral(limits.only),
    pgArrayLiteral(limits.except ?? []),
    pgArrayLiteral([...limits.rowsByEndpoint.keys()]),
    pgArrayLiteral([...limits.rowsByEndpoint.values()]),
    limits.rowsPerOther,
    limits.rowsMax,
    limits.leaseMs,
  ]);
  return rows.map((row) => toClaimed(row, box));
}

type ClaimedRow = {
  readonly id: string;
  readonly fence: number;
  readonly endpoint_id: string;
  readonly application_id: string;
  readonly url: string;
  readonly sealed_secrets: string;
  readonly is_rotating: boolean;
  readonly event_id: string;
  readonly type: WebhookKind;
  readonly occurred_at: Date;
  readonly data: Readonly<Record<string, unknown>>;
  readonly attempts: number;
};

function toClaimed(row: ClaimedRow, box: SecretBox): ClaimedWebhook {
  const endpoint = { applicationId: row.application_id, endpointId: row.endpoint_id };
  const secrets = decryptWebhookSecrets(box, endpoint, row.sealed_secrets);
  return {
    ...endpoint,
    deliveryId: row.id,
    fence: row.fence,
    url: row.url,
    secrets: secrets && secrets.slice(0, row.is_rotating ? 2 : 1),
    eventId: row.event_id,
    type: row.type,
    occurredAt: row.occurred_at,
    data: row.data,
    attempts: row.attempts,
  };
}

/** The outcome of a claimed webhook. */
export type WebhookOutcome = {
  readonly deliveryId: string;
  readonly fence: number;
  /** `put_off`: not attempted. */
  readonly outcome: 'succeeded' | 'retry' | 'failed' | 'put_off';
  readonly reason?: WebhookFailureReason;
  /** For `retry` and `put_off`: the time until it is due again. */
  readonly delayMs?: number;
  readonly attempt?: WebhookAttempt;
  readonly answer?: string;
};

export type DisabledEndpoint = {
  readonly endpointId: string;
  readonly applicationId: string;
  readonly reason: WebhookDisabledReason;
};

/**
 * Records outcomes in one statement, each only while its claim is valid. Disables endpoints that
 * answered 410 (`gone`) or have failed for longer than `disableAfterMs`, and returns those.
 * @callers webhooks
 */
export async function recordWebhookOutcomes(
  db: Database,
  outcomes: readonly WebhookOutcome[],
  { disableAfterMs }: { readonly disableAfterMs: number },
): Promise<DisabledEndpoint[]> {
  if (outcomes.length === 0) return [];
  const { rows } = await db.sql.query<{
    id: string;
    application_id: string;
    reason: WebhookDisabledReason;
  }>(statement('record-webhook-outcomes'), [JSON.stringify(outcomes), disableAfterMs]);
  return rows.map((row) => ({
    endpointId: row.id,
    applicationId: row.application_id,
    reason: row.reason,
  }));
}

/**
 * Fails up to `limit` webhooks of disabled or deleted endpoints, except those being sent, and
 * returns how many. They can be replayed.
 * @callers webhooks
 */
export async function failWebhooksToDisabled(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(statement('fail-webhooks-to-disabled'), [limit]);
  return rowCount ?? 0;
}

/**
 * Makes up to `limit` webhooks due that were queued or postponed while the clock of Postgres was
 * ahead, and returns how many. Webhooks being sent get a new lease.
 * @callers webhooks
 */
export async function rescheduleWebhooksWrittenAhead(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(statement('reschedule-webhooks-written-ahead'), [limit]);
  return rowCount ?? 0;
}
