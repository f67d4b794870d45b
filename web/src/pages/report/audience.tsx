import type { CampaignAudience } from '@tidings/contracts/push/push-audience';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../lib/format.ts';
import { clampProps, LongText } from '../../ui/long-text.tsx';
import { Time } from '../../ui/time.tsx';
import { summarize, type Names } from '../../conditions/describe-condition.ts';
import { useSegmentFacts } from '../segments/use-segment-facts.ts';

type Named = Pick<CampaignAudience, 'segment' | 'version'>;

/** Whom a campaign to a segment was sent to: the segment, and the condition that was asked. */
export function Audience({ audience }: { readonly audience: CampaignAudience }) {
  const { names } = useSegmentFacts();
  const { condition, exclude, recheck, snapshotAt } = audience;
  return (
    <div className="stack tight">
      <div className="wrap">
        <SegmentName named={audience} names={names.segments} />
        {exclude !== null && (
          <>
            {' '}
            without <SegmentName named={exclude} names={names.segments} />
          </>
        )}
      </div>
      {condition !== null && <LongText text={summarize(condition, names)} />}
      {exclude !== null && exclude.condition !== null && (
        <LongText text={`but not: ${summarize(exclude.condition, names)}`} />
      )}
      <div className="soft small">
        {snapshotAt === null ? (
          'The users are read when the campaign begins'
        ) : (
          <>
            Users read <Time at={snapshotAt} />
          </>
        )}
        {recheck && ', and asked again before each message'}.
      </div>
    </div>
  );
}

function SegmentName({
  named: { segment, version },
  names,
}: {
  readonly named: Named;
  readonly names: Names['segments'];
}) {
  if (segment === null) return 'Users by a condition';
  const name = names.get(segment) ?? segment;
  return (
    <>
      <Link to="/segments/$slug" params={{ slug: segment }} title={segment} {...clampProps(name)}>
        {name}
      </Link>
      {version !== null && <span className="soft"> version {formatCount(version)}</span>}
    </>
  );
}
