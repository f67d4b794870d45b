import { appendChanges } from '@tidings/user-changes/changes';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * From now on these outcomes of campaigns are announced. @callers automations
 */
export async function hearCampaigns(
  sql: Sql,
  applicationId: string,
  campaigns: readonly (readonly [id: string, milestones: readonly string[]])[],
): Promise<void> {
  for (const [id, milestones] of campaigns)
    await sql.query(statement('hear-campaign'), [applicationId, id, milestones]);
}

/**
 * Appends the outcomes of these deliveries to what automations react to, where one waits for them: in
 * the transaction that changed them, once, after its other changes. @callers delivery
 */
export async function announceOutcomes(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  const { rows } = await sql.query<{
    id: string;
    campaign_id: string;
    user_id: string;
    state: string;
  }>(statement('read-heard-outcomes'), [deliveryIds]);
  await appendChanges(
    sql,
    rows.map(({ id: deliveryId, campaign_id: campaignId, user_id: userId, state: milestone }) => ({
      kind: 'outcome',
      userId,
      campaignId,
      deliveryId,
      milestone,
    })),
  );
}
