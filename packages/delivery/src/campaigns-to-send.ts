import type { Lane, Purpose } from '@tidings/contracts';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** What a worker needs to know of a campaign to send its message, whose integers beyond 2^53 are bigints. */
export type CampaignToSend = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly purpose: Purpose;
  readonly lane: Lane;
  readonly message: Record<string, unknown>;
  readonly defaultSubject: string | null;
  /** Whether its mails tell when they are opened and their links followed. */
  readonly isTracked: boolean;
  /** Milliseconds since the epoch: nothing of it is to reach anybody later. */
  readonly expiresAt: number;
  /** A test send, which finds out whether the settings are right: nothing holds it up. */
  readonly isTest: boolean;
};

/** What there is of these, by id. */
export async function readCampaignsToSend(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<Map<string, CampaignToSend>> {
  const { rows } = await sql.query<{
    id: string;
    application_id: string;
    lane: Lane;
    purpose: Purpose;
    message: string;
    default_subject: string | null;
    is_tracked: boolean;
    expires_at: Date;
    is_test: boolean;
  }>(statement('read-campaigns-to-send'), [campaignIds]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        campaignId: row.id,
        applicationId: row.application_id,
        purpose: row.purpose,
        lane: row.lane,
        message: parseExactJson(row.message) as Record<string, unknown>,
        defaultSubject: row.default_subject,
        isTracked: row.is_tracked,
        expiresAt: row.expires_at.getTime(),
        isTest: row.is_test,
      },
    ]),
  );
}
