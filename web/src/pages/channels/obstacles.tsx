import type { ChannelAccount } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { Callout } from '../../ui/card.tsx';
import { Time } from '../../ui/time.tsx';
import { explain, explainDelivery, shownRemedy } from '../../labels/explain.ts';

/** What keeps a channel or an account from sending, and what happens to its messages meanwhile. */
export function Obstacles({
  of: { pause, breaker },
  meanwhile,
}: {
  readonly of: Pick<ChannelAccount, 'breaker' | 'pause'>;
  readonly meanwhile: string;
}) {
  return (
    <>
      {pause !== undefined && (
        <Callout tone="bad">
          <strong>
            Paused since <Time at={pause.pausedAt} />: {humanize(pause.reason)}
          </strong>
          <p>
            {explainDelivery(pause.reason).summary} {shownRemedy(explainDelivery(pause.reason))}{' '}
            {meanwhile}
          </p>
          {(pause.providerCode !== undefined || pause.providerMessage !== undefined) && (
            <p className="small">
              Provider response:{' '}
              <code className="wrap">
                {[pause.providerCode, pause.providerMessage].filter(Boolean).join(' ')}
              </code>
            </p>
          )}
        </Callout>
      )}
      {breaker !== undefined && (
        <Callout tone="warn">
          <strong>{explain('breaker', breaker.cause).summary}</strong>
          <p>
            {shownRemedy(explain('breaker', breaker.cause))} Paused automatically since{' '}
            <Time at={breaker.openedAt} />; next try <Time at={breaker.probeAt} />. {meanwhile}
          </p>
        </Callout>
      )}
    </>
  );
}
