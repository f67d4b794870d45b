import type { CampaignWinner } from '@tidings/contracts/push/push-winner';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { Time } from '../../ui/time.tsx';
import { keyOf, TemplateName, useTemplateName } from '../report/templates.tsx';
import { formatCertainty } from './format-certainty.ts';

const NAMES = { opened: 'opens', clicked: 'clicks' } as const;

/** Who waits for the better template, and what was decided. */
export function WinnerState({
  campaign,
  winner,
}: {
  readonly campaign: Campaign;
  readonly winner: CampaignWinner;
}) {
  const mayChoose = useMay('controlCampaigns');
  const { campaignId, status, templates } = campaign;
  const { waiting, decision } = winner;
  const choose = useChange<number>(
    (index) => ({ method: 'POST', path: `campaigns/${campaignId}/decision`, body: { index } }),
    ['campaigns'],
  );
  const canChoose = mayChoose && status === 'sending' && waiting > 0 && decision?.choice == null;
  return (
    <Callout tone={decision !== null && decision.choice === null && waiting > 0 ? 'warn' : 'info'}>
      <p>
        <Sentence campaign={campaign} winner={winner} />
      </p>
      {canChoose && (
        <div className="row">
          {(templates ?? []).map((template, index) => (
            <SendButton
              key={keyOf(template)}
              slug={template.slug}
              isBusy={choose.isPending}
              onClick={() => choose.mutate(index)}
            />
          ))}
        </div>
      )}
      {choose.error !== null && <p role="alert">{errorMessage(choose.error)}</p>}
    </Callout>
  );
}

function SendButton({
  slug,
  ...rest
}: {
  readonly slug: string | null;
  readonly isBusy: boolean;
  readonly onClick: () => void;
}) {
  return (
    <Button isSmall {...rest}>
      Send <bdi>{useTemplateName(slug)}</bdi>
    </Button>
  );
}

function Sentence({
  campaign: { status, templates },
  winner: { percent, by, waiting, decideAt, decision },
}: {
  readonly campaign: Campaign;
  readonly winner: CampaignWinner;
}) {
  const people = counted(waiting, 'person', 'people');
  if (decision === null) {
    if (status === 'canceled') return <>Canceled before a template was chosen for the rest.</>;
    return (
      <>
        <strong>{percent} % get the templates first.</strong>{' '}
        {waiting > 0 && `${people} wait for the one with more ${NAMES[by]}. `}
        {decideAt !== null && (
          <>
            It is decided <Time at={decideAt} form="clock" />.
          </>
        )}
      </>
    );
  }
  const chosen = decision.choice === null ? undefined : templates?.[decision.choice];
  if (chosen === undefined)
    return (
      <>
        <strong>No template was better by {NAMES[by]}</strong> (certainty{' '}
        {formatCertainty(decision.certainty ?? 0)}, needed 95 %).{' '}
        {waiting > 0 ? `${people} wait for your choice.` : 'The rest got none.'}
      </>
    );
  return (
    <>
      <strong>The rest got</strong> <TemplateName named={chosen} />,{' '}
      {decision.isManual
        ? 'chosen by a person'
        : `the better one by ${NAMES[by]} (certainty ${formatCertainty(decision.certainty ?? 0)})`}
      , <Time at={decision.decidedAt} form="clock" />.
    </>
  );
}
