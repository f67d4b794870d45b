import { logDecision, releaseRest } from '@tidings/delivery/trials';
import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import type { Database } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { compareTemplates } from './compare-templates.ts';
import { listDueTrials, lockTrial, type TrialCampaign } from './due-trials.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Decides campaigns whose time has come: the better template goes to the rest of the recipients, or
 * none is better and they wait for a choice. Each is decided once, however many processes try. A rest
 * without a choice ends with its time. Returns how many of `limit` there were. @callers scheduler
 */
export async function decideDue(db: Database, limit: number): Promise<number> {
  const { due, over } = await listDueTrials(db.sql, limit);
  for (const campaign of due) await decide(db, campaign);
  for (const campaignId of over) await db.transaction((sql) => releaseRest(sql, campaignId));
  return Math.max(due.length, over.length);
}

/** Counts before it locks: a large campaign takes seconds. */
async function decide(db: Database, campaign: TrialCampaign): Promise<void> {
  const { applicationId, campaignId, templates, winner } = campaign;
  const { items, best: all } = await compareTemplates(db.sql, { ...campaign, trial: winner });
  const best = all[winner.by];
  const choice = best?.isBetter === true ? best.index : null;
  const certainty = best?.certainty ?? 0;
  const figures = items.map(({ counts }) => ({
    hits: counts[winner.by],
    recipients: counts.recipients,
  }));
  await retryConflicts(() =>
    db.transaction(async (sql) => {
      // Paused or canceled meanwhile, or decided by another process.
      if ((await lockTrial(sql, campaign)) === null) return;
      const { rows } = await sql.query(statement('insert-decision'), [
        applicationId,
        campaignId,
        choice,
        certainty,
        JSON.stringify(figures),
      ]);
      if (rows.length === 0) return;
      const percent = `certainty ${Math.floor(certainty * 1000) / 10} %`;
      const what = choice === null ? 'none is better' : nameOf(templates[choice]);
      await logDecision(sql, campaignId, `${what}, ${percent}`);
      if (choice !== null) await releaseRest(sql, campaignId);
    }),
  );
}

/**
 * Sends a template to the rest, before the time or after none was better. False if none waits for a
 * choice, or it was made. @callers api
 */
export async function chooseByHand(
  db: Database,
  {
    applicationId,
    campaignId,
    index,
    actor,
  }: {
    readonly applicationId: string;
    readonly campaignId: string;
    readonly index: number;
    readonly actor: string;
  },
): Promise<boolean> {
  return retryConflicts(() =>
    db.transaction(async (sql): Promise<boolean> => {
      const campaign = await lockTrial(sql, { applicationId, campaignId });
      if (campaign === null) return false;
      const { rows } = await sql.query(statement('choose-by-hand'), [
        applicationId,
        campaignId,
        index,
      ]);
      if (rows.length === 0) return false;
      const detail = `${nameOf(campaign.templates[index])}, chosen by ${actor}`;
      await logDecision(sql, campaignId, detail);
      await releaseRest(sql, campaignId);
      return true;
    }),
  );
}

const nameOf = (template: NamedCampaignTemplate | undefined): string =>
  `${template?.slug}@${template?.version}`;

/** Deletes decisions of campaigns that are gone. @callers scheduler */
export async function purgeDecisions(db: Database): Promise<void> {
  await db.sql.query(statement('purge-decisions'));
}
