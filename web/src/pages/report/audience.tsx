import type { CampaignAudience } from '@tidings/contracts';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../lib/format.ts';
import { LongText } from '../../ui/long-text.tsx';
import { Time } from '../../ui/time.tsx';
import { summarize } from '../segments/describe-condition.ts';
import { useSegmentFacts } from '../segments/use-segment-facts.ts';

type Named = Pick<CampaignAudience, 'segment' | 'version'>;

/** Whom a campaign to a segment was sent to: the segment, and the condition that was asked. */
export function Audience({ audience }: { readonly audience: CampaignAudience }) {
  const { names } = useSegmentFacts();
  const { condition, exclude, recheck, snapshotAt } = audience;
  return (
    <div className="stack tight">
      <div className="wrap">
        <SegmentName named={audience} />
        {exclude !== null && (
          <>
            {' '}
            without <SegmentName named={exclude} />
          </>
        )}
      </div>
      {condition !== null && <LongText text={summarize(condition, names)} />}
      {exclude !== null && exclude.condition !== null && (
        <LongText text={`but not: ${summarize(exclude.condition, names)}`} />
      )}
      <div className="soft small">
        {snapshotAt === null ? (
          'The users are read when the campaign begins.'
        ) : (
          <>
            Users read <Time at={snapshotAt} />
            {recheck && ', and asked again before each message'}.
          </>
        )}
      </div>
    </div>
  );
}

function SegmentName({ named: { segment, version } }: { readonly named: Named }) {
  if (segment === null) return 'Users by a condition';
  return (
    <>
      <Link to="/segments/$slug" params={{ slug: segment }}>
        {segment}
      </Link>
      {version !== null && <span className="soft"> version {formatCount(version)}</span>}
    </>
  );
}
