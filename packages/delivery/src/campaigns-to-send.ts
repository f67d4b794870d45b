import type { Channel, Lane } from '@tidings/contracts/channels/channels';
import type { Purpose } from '@tidings/contracts/push/purposes';
import type { StoredAudience } from '@tidings/contracts/push/push-audience';
import type { Trial } from '@tidings/contracts/push/push-winner';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * The campaign fields that a worker needs to send. Integers beyond 2^53 in the message are bigints.
 */
export type CampaignToSend = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly purpose: Purpose;
  readonly lane: Lane;
  readonly channel: Channel;
  readonly message: Record<string, unknown>;
  /** The templates that its recipients are split between; null: the message is sent as it is. */
  readonly templates: readonly CampaignTemplate[] | null;
  /** Null: every recipient has a template. */
  readonly trial: Trial | null;
  /** The account that it goes by; null: one is chosen for each recipient. */
  readonly account: string | null;
  readonly defaultSubject: string | null;
  /** Whether its e-mails track opens and clicks. */
  readonly isTracked: boolean;
  /** Whether it is recorded what was filled into its messages. */
  readonly isKept: boolean;
  /** Expiry in milliseconds since the epoch: nothing is delivered later. */
  readonly expiresAt: number;
  /** A test send checks the settings, so breaker, pause and limits do not apply. */
  readonly isTest: boolean;
  /** An automation appends to it: its recipients have contexts. */
  readonly isOfAutomation: boolean;
  /** An automation waits for outcomes of it. */
  readonly isHeard: boolean;
  /** Of a campaign to a segment that is asked again before each message; else null. */
  readonly recheck: StoredAudience | null;
};

/** The campaigns that exist, by id. */
export async function readCampaignsToSend(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<Map<string, CampaignToSend>> {
  const { rows } = await sql.query<{
    id: string;
    application_id: string;
    lane: Lane;
    purpose: Purpose;
    channel: Channel;
    message: string;
    templates: string | null;
    account: string | null;
    default_subject: string | null;
    is_tracked: boolean;
    is_kept: boolean;
    expires_at: Date;
    is_test: boolean;
    is_of_automation: boolean;
    is_heard: boolean;
    recheck: unknown;
    percent: number | null;
    choice: number | null;
  }>(statement('read-campaigns-to-send'), [campaignIds]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        campaignId: row.id,
        applicationId: row.application_id,
        purpose: row.purpose,
        lane: row.lane,
        channel: row.channel,
        message: parseExactJson(row.message) as Record<string, unknown>,
        templates:
          row.templates === null
            ? null
            : (parseExactJson(row.templates) as readonly CampaignTemplate[]),
        trial: row.percent === null ? null : { percent: row.percent, choice: row.choice },
        account: row.account,
        defaultSubject: row.default_subject,
        isTracked: row.is_tracked,
        isKept: row.is_kept,
        expiresAt: row.expires_at.getTime(),
        isTest: row.is_test,
        isOfAutomation: row.is_of_automation,
        isHeard: row.is_heard,
        recheck: row.recheck as StoredAudience | null,
      },
    ]),
  );
}
