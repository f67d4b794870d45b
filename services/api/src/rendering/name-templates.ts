import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { RecipientTemplate } from '@tidings/api-spec/endpoints/campaign-templates';
import type { DeliveryRecord } from '@tidings/delivery/list-deliveries';
import { chooseShare } from '@tidings/templates/choose-share';

type WithTemplate = DeliveryRecord & { readonly template: RecipientTemplate | null };

/** Adds to each delivery of a campaign which of its templates the recipient has. */
export function nameTemplates({
  campaignId,
  templates,
}: Pick<CampaignRecord, 'campaignId' | 'templates'>): (delivery: DeliveryRecord) => WithTemplate {
  const shares = templates?.map(({ share }) => share) ?? [];
  return (delivery) => {
    const { slug, version } =
      templates?.[chooseShare(campaignId, delivery.customUserId, shares)] ?? {};
    const template = slug === undefined || version === undefined ? null : { slug, version };
    return { ...delivery, template };
  };
}
