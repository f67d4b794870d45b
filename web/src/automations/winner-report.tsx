import type { SplitReport } from '@tidings/contracts/automations/split-report';
import { Time } from '../ui/time.tsx';
import { counted, formatCount, formatShare } from '../lib/format.ts';
import { branchLetter } from './words.ts';

const HITS = { clicked: 'clicked', goal: 'reached the goal' } as const;

/** What is known of the better branch of a split. */
export function WinnerReport({ winner }: { readonly winner: SplitReport }) {
  const { by, minimum, decideAt, figures, decision } = winner;
  return (
    <>
      <p className="soft">
        {decision === null ? (
          <>
            The ways are compared once each has had {counted(minimum, 'person', 'people')}
            {decideAt !== null && (
              <>
                , not before <Time at={decideAt} form="clock" />
              </>
            )}
            .
          </>
        ) : (
          <>
            {decision.choice === null
              ? 'No way is better: people go on dividing by share. Compared '
              : `${branchLetter(decision.choice)} is better, and all who come later take it. Decided `}
            <Time at={decision.decidedAt} form="clock" />.
          </>
        )}
      </p>
      <dl className="step-facts">
        {figures.map(({ runs, hits }, index) => (
          // Branches have no identity of their own.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index}>
            <dt>
              {branchLetter(index)}: {HITS[by]}
            </dt>
            <dd className="numbers">
              {hits === null
                ? `of ${formatCount(runs)}`
                : `${formatCount(hits)} of ${formatCount(runs)}`}
              {hits !== null && runs > 0 && (
                <span className="soft"> {formatShare(hits, runs)}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
