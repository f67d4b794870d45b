import { Link } from '@tanstack/react-router';
import { formatCount, formatShare } from '../lib/format.ts';
import { skipText } from '../pages/automations/run-panel.tsx';
import { WinnerReport } from './winner-report.tsx';
import type { StepReport } from './step-numbers.ts';

/** What became of those who came to a step. */
export function StepReportFacts({ report }: { readonly report: StepReport | undefined }) {
  if (report === undefined || report.entered === 0) return null;
  const { id, entered, waiting, sent, skipped = {}, winner } = report;
  const rows: readonly (readonly [string, number, number | null])[] = [
    ['Came here', entered, null],
    ...(sent === undefined
      ? []
      : ([
          ['Messages', sent.total, null],
          ['Delivered', sent.delivered, sent.sent],
          ['Opened', sent.opened, sent.delivered],
          ['Clicked', sent.clicked, sent.delivered],
          ['Failed', sent.failed, sent.total],
        ] as const)),
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
