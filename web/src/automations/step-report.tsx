import { Link } from '@tanstack/react-router';
import type { AutomationNode, AutomationSend } from '@tidings/contracts/automations/definition';
import { formatCount, formatShare } from '../lib/format.ts';
import { skipText } from '../pages/automations/run-panel.tsx';
import { reachOfStep } from './sent-reach.ts';
import { WinnerReport } from './winner-report.tsx';
import type { StepReport } from './step-numbers.ts';

/** A number, and what it is a part of. */
type Row = readonly [name: string, count: number, base: number | null];

/** What became of those who came to a step. */
export function StepReportFacts({
  node,
  report,
}: {
  readonly node: AutomationNode;
  readonly report: StepReport | undefined;
}) {
  if (report === undefined || report.entered === 0) return null;
  const { id, entered, waiting, sent, skipped = {}, winner } = report;
  const rows: readonly Row[] = [
    ['Came here', entered, null],
    ...(sent === undefined || !('send' in node) ? [] : sentRows(node.send, sent)),
    ...Object.entries(skipped).map(([reason, count]) => [skipText(reason), count, null] as const),
  ];
  return (
    <>
      {winner !== undefined && <WinnerReport winner={winner} />}
      <dl className="step-facts">
        {rows.map(([name, count, base]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="numbers">
              {formatCount(count)}
              {base !== null && <span className="soft"> {formatShare(count, base)}</span>}
            </dd>
          </div>
        ))}
        {waiting > 0 && (
          <div>
            <dt>
              <Link to="." search={{ tab: 'people', node: id } as never}>
                Wait here now
              </Link>
            </dt>
            <dd className="numbers">{formatCount(waiting)}</dd>
          </div>
        )}
      </dl>
    </>
  );
}

function sentRows(send: AutomationSend, sent: NonNullable<StepReport['sent']>): readonly Row[] {
  const { delivered, base } = reachOfStep(send, sent);
  return [
    ['Messages', sent.total, null],
    ['Sent', sent.sent, sent.total],
    ...(delivered === null ? [] : ([['Delivered', delivered, sent.sent]] as const)),
    ['Opened', sent.opened, base],
    ['Clicked', sent.clicked, base],
    ['Failed', sent.failed, sent.total],
  ];
}
