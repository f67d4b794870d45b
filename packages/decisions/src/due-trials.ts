import type { Channel } from '@tidings/contracts/channels/channels';
import type { StoredWinner } from '@tidings/contracts/push/push-winner';
import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A campaign whose templates went to a part of its recipients. */
export type TrialCampaign = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly channel: Channel;
  readonly templates: readonly NamedCampaignTemplate[];
  readonly winner: StoredWinner;
};

type TrialRow = Pick<TrialCampaign, 'campaignId' | 'applicationId'> & {
  readonly channel: string;
  readonly templates: unknown;
  readonly winner: unknown;
};

/** Campaigns that are to be decided now, oldest first; and those whose rest waited in vain. */
export async function listDueTrials(
  sql: Sql,
  limit: number,
): Promise<{ readonly due: readonly TrialCampaign[]; readonly over: readonly string[] }> {
  const { rows } = await sql.query<TrialRow>(statement('due-trials'), [limit]);
  const { rows: over } = await sql.query<{ id: string }>(statement('trials-over'), [limit]);
  return { due: rows as readonly TrialCampaign[], over: over.map(({ id }) => id) };
}

/** The campaign, if it sends, has all its recipients and a rest of them; its row is locked. */
export async function lockTrial(
  sql: Sql,
  which: { readonly applicationId: string; readonly campaignId: string },
): Promise<TrialCampaign | null> {
  const { rows } = await sql.query<TrialRow>(statement('lock-trial'), [
    which.campaignId,
    which.applicationId,
  ]);
  return (rows[0] as TrialCampaign | undefined) ?? null;
}
