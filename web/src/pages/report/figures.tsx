import { computeReach, type CampaignReach } from '@tidings/contracts/push/campaign-reach';
import { isReported } from '@tidings/contracts/push/campaign-result';
import type { ReactNode } from 'react';
import type { Campaign } from '../../api/types.ts';
import { formatCount, formatShare } from '../../lib/format.ts';

type Figure = { readonly name: ReactNode; readonly value: string; readonly base: ReactNode };

/** A number of a strip, with what it is a share of. */
export function FigureCell({ name, value, base }: Figure) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <span className="soft small">{base}</span>
      </dd>
    </div>
  );
}

/** How far a campaign got, each number with what it is a share of. */
export function Figures({ campaign }: { readonly campaign: Campaign }) {
  const { machineOpened, machineClicked } = campaign.counts;
  return (
    <>
      <dl className="figures">
        {listFigures(campaign).map((figure, index) => (
          <FigureCell key={index} {...figure} />
        ))}
      </dl>
      {machineOpened + machineClicked > 0 && (
        <p className="soft small">
          {machineOpened > 0 &&
            `Opens: ${formatCount(machineOpened)} by privacy proxies and scanners, not counted. `}
          {machineClicked > 0 && `Clicks: ${formatCount(machineClicked)} by scanners, not counted.`}
        </p>
      )}
    </>
  );
}

function listFigures({ channel, counts, bounces }: Campaign): readonly Figure[] {
  const reach = computeReach(channel, counts, bounces);
  const { sent, delivered } = reach;
  const actions = (
    [
      ['Displayed', 'displayed'],
      ['Opened', 'opened'],
      ['Clicked', 'clicked'],
    ] as const
  ).filter(([, step]) => isReported(channel, step));
  return [
    { name: 'Sent', value: formatCount(sent), base: `of ${formatCount(counts.total)} asked` },
    ...(delivered === null
      ? []
      : [
          {
            name: <Delivered isDerived={reach.isDerived} />,
            value: formatShare(delivered, sent),
            base: `${formatCount(delivered)} of ${formatCount(sent)} sent`,
          },
        ]),
    ...actions.map(([name, step]) => shareOfBase(name, counts[step], reach)),
    ...(channel === 'EMAIL' || counts.unsubscribed > 0
      ? [shareOfBase('Unsubscribed', counts.unsubscribed, reach)]
      : []),
  ];
}

const shareOfBase = (name: string, count: number, { base, delivered }: CampaignReach): Figure => ({
  name,
  value: formatShare(count, base),
  base: `${formatCount(count)} of ${formatCount(base)} ${delivered === null ? 'sent' : 'delivered'}`,
});

const Delivered = ({ isDerived }: { readonly isDerived: boolean }) => (
  <>
    Delivered
    {isDerived && (
      <abbr
        className="soft small"
        title="Mail servers report no delivery: these were sent and did not bounce."
      >
        derived
      </abbr>
    )}
  </>
);
