import type {
  WebhookAttempt,
  WebhookDisabledReason,
  WebhookFailureReason,
  WebhookKind,
} from '@tidings/contracts';
import type { SecretBox } from '@tidings/platform';
import { pgArrayLiteral } from '@tidings/postgres/pg-array-literal';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { decryptWebhookSecrets } from './secrets.ts';

const statement = statementsIn(import.meta.dirname);

/** An event in the hands of one process until its lease ends; the fence tells this claim from any other. */
export type ClaimedWebhook = {
  readonly deliveryId: string;
  readonly fence: number;
  readonly endpointId: string;
  readonly applicationId: string;
  readonly url: string;
  /** The live ones, newest first; null when the key at hand does not open them. */
  readonly secrets: readonly string[] | null;
  readonly eventId: string;
  readonly type: WebhookKind;
  readonly occurredAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
  /** Attempts made before this claim. */
  readonly attempts: number;
};

/** Which endpoints to claim for, and how many of their events at most. */
export type ClaimLimits = {
  /** Only these; absent: all but those in `except`. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly rowsByEndpoint: ReadonlyMap<string, number>;
  readonly rowsPerOther: number;
  readonly rowsMax: number;
};

/**
 * Takes due events, for each endpoint no more than there is room for, so that one with a long queue takes nobody's place.
 * Of what is claimed something may have been sent already by a process that was killed since: it is sent again, with
 * the same id. @callers webhooks
 */
export async function claimWebhooks(
  db: Database,
  box: SecretBox,
  room: ClaimLimits & { readonly leaseMs: number },
): Promise<ClaimedWebhook[]> {
  const { rows } = await db.sql.query<ClaimedRow>(statement('claim-webhooks'), [
    room.only === undefined ? null : pgArrayLiteral(room.only),
    pgArrayLiteral(room.except ?? []),
    pgArrayLiteral([...room.rowsByEndpoint.keys()]),
    pgArrayLiteral([...room.rowsByEndpoint.values()]),
    room.rowsPerOther,
    room.rowsMax,
    room.leaseMs,
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

/** What became of a claimed event. */
export type WebhookOutcome = {
  readonly deliveryId: string;
  readonly fence: number;
  /** `put_off`: nothing was attempted. */
  readonly outcome: 'succeeded' | 'retry' | 'failed' | 'put_off';
  readonly reason?: WebhookFailureReason;
  /** For `retry` and `put_off`: when it is due again. */
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
 * Records outcomes in one statement, each where its claim still holds. An endpoint whose answer was 410 (`gone`), or that
 * has only failed for longer than `disableAfterMs`, is switched off; those are returned. @callers webhooks
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
 * Gives up what waits for endpoints that are switched off or gone, save what is being sent right now; it can be replayed.
 * At most `limit`; returns how many. @callers webhooks
 */
export async function failWebhooksToDisabled(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(statement('fail-webhooks-to-disabled'), [limit]);
  return rowCount ?? 0;
}

/**
 * Makes due what was queued or put off while Postgres' clock was ahead; what is being sent gets its lease anew. At most
 * `limit`; returns how many. @callers webhooks
 */
export async function rescheduleWebhooksWrittenAhead(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(statement('reschedule-webhooks-written-ahead'), [limit]);
  return rowCount ?? 0;
}
