import type { Campaign } from '../../api/types.ts';
import { useTemplateNames } from '../templates/use-templates.ts';
import { campaignTitle, isTitledByTemplates } from './campaign-title.ts';

/** The name of a campaign. Templates are only read for one that is named by them. */
export function useCampaignTitle(campaign: Campaign | undefined): string {
  const names = useTemplateNames(campaign !== undefined && isTitledByTemplates(campaign));
  return campaign === undefined ? 'Campaign' : campaignTitle(campaign, names);
}
