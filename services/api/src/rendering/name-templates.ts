import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { RecipientTemplate } from '@tidings/api-spec/endpoints/campaign-templates';
import type { DeliveryRecord } from '@tidings/campaign-reports/list-deliveries';
import { chooseTemplate } from '@tidings/templates/choose-share';

type WithTemplate = DeliveryRecord & { readonly template: RecipientTemplate | null };

/** Adds to each delivery of a campaign which of its templates the recipient has. */
export function nameTemplates({
  campaignId,
  templates,
  winner,
}: Pick<CampaignRecord, 'campaignId' | 'templates' | 'winner'>): (
  delivery: DeliveryRecord,
) => WithTemplate {
  const trial = winner && { ...winner, choice: winner.decision?.choice ?? null };
  return (delivery) => {
    const { customUserId } = delivery;
    const index = templates && chooseTemplate({ campaignId, templates, trial }, customUserId);
    const { slug, version } = (index === null ? undefined : templates?.[index]) ?? {};
    const template = slug === undefined || version === undefined ? null : { slug, version };
    return { ...delivery, template };
  };
}
