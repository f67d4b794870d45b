import { findDraftFaults } from '@tidings/campaign-drafts/draft-faults';
import type { DraftContent } from '@tidings/campaign-drafts/drafts';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { CampaignAudience } from '@tidings/contracts/push/push-audience';
import type { CampaignWinner, PushWinner } from '@tidings/contracts/push/push-winner';
import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import type { CampaignReports } from '@tidings/campaign-reports/reports';
import { AppError } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { listRegisteredRecipients } from './list-registered-recipients.ts';

/** More ids than this fit into no draft, unless they are very short. */
const RECIPIENTS_MAX = 20_000;

/**
 * The content of a draft that says what a campaign said. Not when: its time has passed.
 * @throws AppError `not_found`, or `conflict` if its message is larger than a draft may be
 */
export async function copyCampaign(
  { db, reports }: { readonly db: Database; readonly reports: CampaignReports },
  which: { readonly applicationId: string; readonly campaignId: string },
): Promise<DraftContent> {
  const campaign = await reports.read(which.applicationId, which.campaignId);
  if (campaign === null)
    throw new AppError('not_found', 'This application has no campaign with this id.');
  const { name, tags, channel, purpose, audience, winner } = campaign;
  const content = {
    ...(name !== null && { name }),
    ...(tags.length > 0 && { tags }),
    channel,
    purpose,
    ...copyMessage(campaign),
    ...(audience !== null && copyAudience(audience)),
    ...(winner !== null && { winner: copyWinner(winner) }),
  };
  if (findDraftFaults(content).length > 0)
    throw new AppError('conflict', 'The message of this campaign is larger than a draft may be.');
  if (audience !== null || campaign.recipients.unique > RECIPIENTS_MAX) return content;
  const recipients = await listRegisteredRecipients(db, which);
  const withRecipients = { ...content, recipients };
  return findDraftFaults(withRecipients).length > 0 ? content : withRecipients;
}

function copyMessage({ message, templates }: CampaignRecord): DraftContent {
  const [first, ...others] = templates ?? [];
  if (first === undefined) return { message };
  // Its own message is a template that has no name.
  if (first.slug === null) return { message, personalize: true };
  return others.length === 0
    ? { template: nameOf(first) }
    : { split: [first, ...others].map((each) => ({ template: nameOf(each), share: each.share })) };
}

const nameOf = ({ slug, version }: NamedCampaignTemplate): string => `${slug}@${version}`;

const copyWinner = ({ percent, by, after }: CampaignWinner): PushWinner => ({ percent, by, after });

const copyAudience = ({
  segment,
  condition,
  exclude,
  recheck,
}: CampaignAudience): DraftContent => ({
  segment: segment ?? { condition },
  ...(exclude !== null && { exclude: exclude.segment }),
  ...(recheck && { recheck }),
});
