import type { ListedChannel } from '../../api/types.ts';
import { counted, formatCount, formatShare, humanize } from '../../lib/format.ts';
import { Callout } from '../../ui/card.tsx';
import { Time } from '../../ui/time.tsx';
import { explainDelivery, shownRemedy } from '../../labels/explain.ts';

type HealthProps = { readonly health: ListedChannel['health'] };

/** Since when a channel fails, and how much, in a line; nothing while it does not. */
export function FailingLine({ health }: HealthProps) {
  const { state, since, attempts, failed, unknown, reason } = health;
  if (state !== 'failing' || since === null) return null;
  return (
    <>
      Failing since <Time at={since} form="clock" />: {formatShare(failed + unknown, attempts)} of{' '}
      {formatCount(attempts)}
      {reason !== null && `, ${humanize(reason).toLowerCase()}`}
    </>
  );
}

/** The attempts of the last hour in a line. */
export function LastHour({ health }: HealthProps) {
  const { state, attempts, failed, unknown } = health;
  if (state === 'failing') return <FailingLine health={health} />;
  if (attempts === 0) return <span className="soft">–</span>;
  return (
    <span className="soft">
      {counted(attempts, 'attempt', 'attempts')}
      {failed > 0 && `, ${formatCount(failed)} failed`}
      {unknown > 0 && `, ${formatCount(unknown)} without an answer`}
    </span>
  );
}

/** The trouble of the last hour, with its most frequent reason and what to do. */
export function HealthCallout({ health }: HealthProps) {
  const { state, since, attempts, failed, unknown, reason } = health;
  if (state !== 'failing' && state !== 'degraded') return null;
  const share = `${formatShare(failed + unknown, attempts)} of ${counted(attempts, 'attempt', 'attempts')}`;
  const advice = reason === null ? null : explainDelivery(reason);
  return (
    <Callout tone={state === 'failing' ? 'bad' : 'warn'}>
      <strong>
        {since === null ? (
          `${share} failed in the last hour.`
        ) : (
          <>
            Failing since <Time at={since} form="clock" />: {share}.
          </>
        )}
      </strong>
      <p>
        {reason !== null && `Most frequent reason: ${humanize(reason).toLowerCase()}. `}
        {advice?.summary} {advice !== null && shownRemedy(advice)}
        {unknown > 0 &&
          failed > 0 &&
          ` Of these, ${counted(unknown, 'attempt is', 'attempts are')} without an answer of the provider.`}
      </p>
    </Callout>
  );
}
