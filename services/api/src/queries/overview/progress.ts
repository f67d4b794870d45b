import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The setup steps of a new application. */
export type FirstSteps = {
  /** A Server key; Client keys cannot send campaigns. */
  readonly hasKey: boolean;
  readonly hasEvent: boolean;
  readonly hasUser: boolean;
  readonly hasReadyChannel: boolean;
  readonly hasCampaign: boolean;
};

export async function readFirstSteps(sql: Sql, applicationId: string): Promise<FirstSteps> {
  const { rows } = await sql.query<FirstSteps>(statement('read-first-steps'), [applicationId]);
  const [steps] = rows;
  if (steps === undefined) throw new Error('a row of exists');
  return steps;
}

/**
 * Unfinished deliveries of active campaigns, including ones without a row yet. `since`: creation of
 * the oldest of these campaigns; of an open campaign, of its oldest delivery.
 */
export type DeliveryBacklog = {
  readonly campaigns: number;
  readonly deliveries: number;
  readonly since: number | null;
};

const CAMPAIGNS_MAX = 5_000;

export async function readDeliveryBacklog(
  sql: Sql,
  applicationId: string,
): Promise<DeliveryBacklog> {
  const { rows } = await sql.query<{ campaigns: number; deliveries: number; since: Date | null }>(
    statement('read-delivery-backlog'),
    [applicationId, CAMPAIGNS_MAX],
  );
  const [{ campaigns, deliveries, since } = { campaigns: 0, deliveries: 0, since: null }] = rows;
  return { campaigns, deliveries, since: since?.getTime() ?? null };
}
