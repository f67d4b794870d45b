import { computeReach, type CampaignReach } from '@tidings/contracts/push/campaign-reach';
import { isReported } from '@tidings/contracts/push/campaign-result';
import {
  MESSAGE_MILESTONES,
  type MessageMilestone,
} from '@tidings/contracts/segments/leaves/message';
import { useId, type ReactNode } from 'react';
import type { Campaign } from '../../api/types.ts';
import { formatCount, formatShare, humanize } from '../../lib/format.ts';
import { useFilters } from '../../ui/filters.ts';
import { PeoplePanel } from '../people/people-panel.tsx';
import { reachedBy } from './reached-by.ts';

type Figure = {
  readonly name: ReactNode;
  readonly value: string;
  readonly base: ReactNode;
  /** Of a number that opens its people. */
  readonly people?: MessageMilestone | undefined;
};

/** A number of a strip, with what it is a share of. `onOpen`: shows whom it counts. */
export function FigureCell({
  name,
  value,
  base,
  onOpen,
}: Figure & { readonly onOpen?: (() => void) | undefined }) {
  const id = useId();
  return (
    <div>
      <dt id={id}>{name}</dt>
      <dd>
        <strong>
          {onOpen === undefined ? (
            value
          ) : (
            <button type="button" className="number" aria-describedby={id} onClick={onOpen}>
              {value}
            </button>
          )}
        </strong>
        <span className="soft small">{base}</span>
      </dd>
    </div>
  );
}

/** How far a campaign got, each number with what it is a share of. */
export function Figures({ campaign }: { readonly campaign: Campaign }) {
  const { machineOpened, machineClicked } = campaign.counts;
  const filters = useFilters(['people']);
  const shown = MESSAGE_MILESTONES.find((each) => each === filters.get('people'));
  return (
    <>
      <dl className="figures">
        {listFigures(campaign).map(({ people, ...figure }, index) => (
          <FigureCell
            key={index}
            {...figure}
            onOpen={people === undefined ? undefined : () => filters.set('people', people)}
          />
        ))}
      </dl>
      {shown !== undefined && (
        <PeoplePanel
          title={humanize(shown)}
          count={formatCount(campaign.counts[shown])}
          source={{ condition: reachedBy(campaign, shown) }}
          fileName={`${shown}.csv`}
          onClose={filters.clear}
        />
      )}
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
    {
      name: 'Sent',
      value: formatCount(sent),
      base: `of ${formatCount(counts.total)} asked`,
      people: sent === 0 ? undefined : 'sent',
    },
    ...(delivered === null
      ? []
      : [
          {
            name: <Delivered isDerived={reach.isDerived} />,
            value: formatShare(delivered, sent),
            base: `${formatCount(delivered)} of ${formatCount(sent)} sent`,
            people: reach.isDerived || delivered === 0 ? undefined : ('delivered' as const),
          },
        ]),
    ...actions.map(([name, step]) => ({
      ...shareOfBase(name, counts[step], reach),
      people: step === 'displayed' || counts[step] === 0 ? undefined : step,
    })),
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
