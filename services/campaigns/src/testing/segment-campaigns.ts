import type { StoredAudience } from '@tidings/contracts/push/push-audience';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { controlCampaign } from '@tidings/delivery/control';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { takeSnapshot, type SnapshotOutcome } from '@tidings/delivery/snapshots';
import { systemClock } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { writeSegment } from '@tidings/segments/segments';
import { createSendingApplication, newCampaign, registerUsers } from '@tidings/testing';
import { createFindMembers } from '../find-members.ts';
import { createSnapshotTaker, SNAPSHOT_BOUNDS } from '../take-snapshots.ts';
import { campaignsHelpers, unending } from './campaigns-service.ts';

export const german: Condition = { field: 'country', is: 'DE' };
export const ofSegment = (overrides: Partial<StoredAudience> = {}): StoredAudience => ({
  segment: 'german',
  version: null,
  condition: null,
  exclude: null,
  recheck: false,
  ...overrides,
});

export function excluding(segment: string): StoredAudience['exclude'] {
  return { segment, version: null, condition: null };
}

/** Helpers for tests of campaigns to segments, on one database. */
export function segmentCampaigns(db: Database) {
  const { campaignsService } = campaignsHelpers(db);

  /** An application with `count` users of Germany and one of France, and its segments. */
  async function application(count: number): Promise<string> {
    const { applicationId } = await createSendingApplication(db);
    const names = Array.from({ length: count }, (_, index) => `user ${index}`);
    await registerUsers(
      db,
      applicationId,
      Object.fromEntries([
        ...names.map((name) => [name, { country: 'DE', email: 'ada@example.org' }]),
        ['french', { country: 'FR', email: 'bob@example.org' }],
      ]),
    );
    await write(applicationId, 'german', german);
    return applicationId;
  }

  async function write(applicationId: string, slug: string, condition: Condition): Promise<void> {
    const written = await writeSegment(db, {
      applicationId,
      slug,
      name: slug,
      condition,
      by: 'test',
    });
    if (typeof written === 'string' || 'errors' in written) throw new Error('no segment');
  }

  async function accept(
    applicationId: string,
    audience: StoredAudience = ofSegment(),
    overrides: Partial<NewCampaign> = {},
  ): Promise<NewCampaign> {
    const campaign = newCampaign({ applicationId, recipients: [], audience, ...overrides });
    await acceptCampaign(db, campaign);
    return campaign;
  }

  async function takeAll(database: Database = db) {
    const large: string[] = [];
    const service = await campaignsService({ database });
    const taker = createSnapshotTaker({
      ...service,
      clock: systemClock,
      onLarge: () => void large.push('large'),
    });
    await taker.takeAll(unending);
    return { ...service, large };
  }

  const take = (
    { campaignId }: NewCampaign,
    options: Partial<Parameters<typeof takeSnapshot>[2]> & { readonly database?: Database } = {},
  ): Promise<SnapshotOutcome> =>
    takeSnapshot({ db: options.database ?? db, keyedDb: db }, campaignId, {
      ...SNAPSHOT_BOUNDS,
      isSlow: false,
      timeoutMs: SNAPSHOT_BOUNDS.fastMs,
      findMembers: createFindMembers(db, 16),
      signal: unending,
      ...options,
    });

  async function recipientsOf({ campaignId }: NewCampaign): Promise<string[]> {
    const { rows } = await db.sql.query<{ recipient: string }>(
      `select jsonb_array_elements_text(recipients) as recipient from campaign_chunks where campaign_id = $1
       union all select custom_user_id from deliveries where campaign_id = $1`,
      [campaignId],
    );
    return rows.map(({ recipient }) => recipient).toSorted();
  }

  const eventsOf = async ({ campaignId }: NewCampaign) =>
    (await listCampaignEvents(db, campaignId, { limit: 50 })).map(({ type, detail }) =>
      detail === undefined ? type : `${type}: ${detail}`,
    );
  const control = (campaign: NewCampaign, action: 'pause' | 'cancel') =>
    controlCampaign(db, { ...campaign, action, actor: 'test' });

  return { application, write, accept, takeAll, take, recipientsOf, eventsOf, control };
}
