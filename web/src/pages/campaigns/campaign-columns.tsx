import { computeReach } from '@tidings/contracts/push/campaign-reach';
import type { ReactNode } from 'react';
import type { Campaign } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { counted, formatCount, formatShare } from '../../lib/format.ts';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { ChannelIcon } from '../../ui/channel-icon.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { CampaignLink, CampaignStatus } from './campaign-status.tsx';
import { waitsForZones } from './own-zone.ts';
import { ShortSchedule } from './schedule-time.tsx';

/** Who it went to: a segment, a condition of its own, or the number of listed people. */
function Audience({ campaign: { audience, counts, recipients } }: { readonly campaign: Campaign }) {
  if (audience === null)
    return <>{counted(recipients.unique || counts.total, 'person', 'people')}</>;
  return audience.segment === null ? <>Own condition</> : <bdi>{audience.segment}</bdi>;
}

const share = (part: number, of: number): ReactNode =>
  of === 0 ? <span className="soft">–</span> : formatShare(part, of);

/** As in the report. */
const reachOf = ({ channel, counts, bounces }: Campaign) => computeReach(channel, counts, bounces);

export const CAMPAIGN_COLUMNS: readonly Column<Campaign>[] = [
  {
    name: 'Campaign',
    cell: (campaign) => (
      <>
        <CampaignLink campaign={campaign} />
        <div className="narrow-only soft small">
          {channelName(campaign.channel)} · <Time at={campaign.timing.createdAt} form="short" />
        </div>
      </>
    ),
  },
  {
    name: 'Status',
    width: '10.5rem',
    cell: (campaign) => <CampaignStatus campaign={campaign} />,
  },
  {
    name: 'Channel',
    width: '7.5rem',
    isMinor: true,
    cell: ({ channel }) => (
      <span className="with-icon">
        <ChannelIcon channel={channel} />
        {channelName(channel)}
      </span>
    ),
  },
  {
    name: 'Audience',
    width: '10rem',
    isMinor: true,
    cell: (campaign) => <Audience campaign={campaign} />,
  },
  {
    name: 'Sent',
    isNumber: true,
    isMinor: 'last',
    width: '6rem',
    cell: (campaign) => formatCount(reachOf(campaign).sent),
  },
  {
    name: 'Opened',
    isNumber: true,
    isMinor: true,
    width: '6rem',
    cell: (campaign) => share(campaign.counts.opened, reachOf(campaign).base),
  },
  {
    name: 'Clicked',
    isNumber: true,
    isMinor: true,
    width: '6rem',
    cell: (campaign) => share(campaign.counts.clicked, reachOf(campaign).base),
  },
  shortTimeColumn('Created', ({ timing }) => timing.createdAt),
];

/** Instead of figures: when it begins, or that nothing was sent. */
export function noteOf(
  campaign: Campaign,
): { readonly from: string; readonly text: ReactNode } | null {
  const { status, schedule, counts, result } = campaign;
  const isWaiting =
    status === 'scheduled' ||
    (counts.pending === counts.total && waitsForZones(campaign, Date.now()) !== null);
  if (isWaiting && schedule !== null)
    return { from: 'Sent', text: <ShortSchedule schedule={schedule} /> };
  if (status === 'canceled' && counts.sent === 0)
    return { from: 'Sent', text: 'Canceled before anything was sent' };
  if (result.attempted === 0 && result.notReachable > 0)
    return {
      from: 'Sent',
      text: `${formatCount(result.notReachable)} could not be reached`,
    };
  return null;
}
