import type { Uses } from '@tidings/segments/uses';

/** Campaigns that a message of an error names. */
const CAMPAIGNS_SHOWN = 5;

const listSlugs = (named: Uses['segments']): string => named.map(({ slug }) => slug).join(', ');

/** What names something, so that it cannot be deleted. @param others whether segments are others */
export function describeUses(
  { segments, campaignIds, templates, automations }: Uses,
  others: 'Segments' | 'Other segments',
): string {
  const shown = campaignIds.slice(0, CAMPAIGNS_SHOWN).join(', ');
  const more = campaignIds.length - CAMPAIGNS_SHOWN;
  return [
    ...(segments.length === 0
      ? []
      : [`${others} name it: ${listSlugs(segments)}. Change these first.`]),
    ...(templates.length === 0
      ? []
      : [`Variants of templates name it: ${listSlugs(templates)}. Change these first.`]),
    ...(automations.length === 0
      ? []
      : [`Automations name it: ${listSlugs(automations)}. Change these first.`]),
    ...(campaignIds.length === 0
      ? []
      : [
          `Campaigns that have not begun name it: ${shown}${more > 0 ? ` and ${more} more` : ''}. Wait, or cancel these first.`,
        ]),
  ].join(' ');
}
