import { isInboxChannel } from '@tidings/contracts/channels/channels';
import { Link } from '@tanstack/react-router';
import type { Campaign } from '../../api/types.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { useNow } from '../../lib/now.ts';
import { waitsForZones, zonedStatus } from './own-zone.ts';
import { splitNamed } from './name-liquid.ts';
import { useCampaignTitle } from './use-campaign-title.ts';
import { UNFETCHED_TEST, VERDICTS } from './verdicts.ts';

export function CampaignLink({ campaign }: { readonly campaign: Campaign }) {
  const title = useCampaignTitle(campaign);
  return (
    <Link
      to="/campaigns/$campaignId"
      params={{ campaignId: campaign.campaignId }}
      className="strong wrap"
      dir="auto"
    >
      <TitleText title={title} />
    </Link>
  );
}

/** A title with a chip for each value that differs by person. */
function TitleText({ title }: { readonly title: string }) {
  return splitNamed(title).map(({ text, isChip }, index) =>
    isChip ? (
      <span key={index} className="value-chip">
        {text}
      </span>
    ) : (
      text
    ),
  );
}

/** The result of a completed campaign, else its status. */
export function CampaignStatus({ campaign }: { readonly campaign: Shown }) {
  const { status, result } = campaign;
  const now = useNow();
  if (waitsForZones(campaign, now) !== null)
    return <Badge tone="info">{zonedStatus(campaign)}</Badge>;
  if (result.verdict === null) return <StatusBadge status={status} />;
  const { tone, label } = isUnfetchedTest(campaign) ? UNFETCHED_TEST : VERDICTS[result.verdict];
  return <Badge tone={tone}>{label}</Badge>;
}

type Shown = Pick<Campaign, 'status' | 'schedule' | 'result' | 'source' | 'channel' | 'counts'>;

/**
 * A test send by IN_APP or ON_SITE that no device fetched within its minute. It worked: the message was there to be
 * fetched, and the channel became ready.
 */
const isUnfetchedTest = ({ source, channel, counts, result }: Shown): boolean =>
  result.verdict === 'no_one_reached' &&
  source === 'test' &&
  isInboxChannel(channel) &&
  counts.expired === counts.total;
