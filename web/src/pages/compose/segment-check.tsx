import type { SegmentDryRunAnswer } from '@tidings/contracts/push/campaigns';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount } from '../../lib/format.ts';
import { Callout, Card } from '../../ui/card.tsx';
import { CheckWarnings } from './check-warnings.tsx';
import { LackedVariables } from './lacked-variables.tsx';

/** How many users are in the segment now, and how many of them can be reached. */
export function SegmentCheck({ answer }: { readonly answer: SegmentDryRunAnswer }) {
  const { channel, recipients, reachable, unrenderable, warnings } = answer;
  // The API counts; only the gateway, which this page does not ask, has null.
  const [inside, reached] = [recipients.count ?? 0, reachable ?? 0];
  return (
    <Card title="Audience check" description="Nothing was sent or stored.">
      <div className="stack tight" role="status">
        <Callout tone={reached === 0 ? 'bad' : reached === inside ? 'good' : 'warn'}>
          <strong>
            {formatCount(reached)} of {formatCount(inside)} can be reached by {channelName(channel)}
            .
          </strong>
        </Callout>
        <p className="soft small">
          Counted now. The users are read again when the campaign begins, and each gets an outcome.
        </p>
        <LackedVariables unrenderable={unrenderable} />
        <CheckWarnings warnings={warnings} />
      </div>
    </Card>
  );
}
