import type { CampaignRecord, CampaignSource } from '@tidings/contracts/push/campaigns';
import type { Campaign, Prisma } from '@tidings/database/client';

/** Campaigns of an automation, or of one of its nodes. */
export type AutomationFilter = { readonly automationId: string; readonly node?: string };

type OriginColumns = Pick<
  Campaign,
  'source' | 'automationId' | 'automationSlug' | 'automationVersion' | 'node'
>;

/** A campaign of an automation is stored as one of the API. */
export function originOf(row: OriginColumns): Pick<CampaignRecord, 'source' | 'automation'> {
  const { automationId: id, automationSlug: slug, automationVersion, node } = row;
  if (id === null) return { source: row.source as CampaignSource, automation: null };
  const automation = { id, slug, version: automationVersion ?? 0, node: node ?? '' };
  return { source: 'automation', automation };
}

/** Of one automation, of any, or of none; those that are named are of either. */
export function ofOrigin({
  ids,
  source,
  automation,
}: {
  readonly ids?: readonly string[];
  readonly source?: CampaignSource;
  readonly automation?: AutomationFilter;
}): Prisma.CampaignWhereInput {
  if (automation !== undefined) return automation;
  if (source === 'automation') return { automationId: { not: null } };
  if (source === undefined && ids !== undefined) return {};
  return { automationId: null, ...(source && { source }) };
}
