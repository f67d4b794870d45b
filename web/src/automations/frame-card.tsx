import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { AutomationReport } from '../api/types.ts';
import { summarize } from '../conditions/describe-condition.ts';
import { formatCount, formatShare } from '../lib/format.ts';
import { Icon } from '../ui/icon.tsx';
import {
  entryText,
  exitText,
  goalOf,
  throttleText,
  triggerText,
  type AutomationNames,
} from './words.ts';

/** What starts it and whom it is for; below, what ends it. */
export function FrameCard({
  definition,
  names,
  report,
  isOpen,
  isFaulty,
}: {
  readonly definition: AutomationDefinition;
  readonly names: AutomationNames;
  readonly report: Pick<AutomationReport, 'entered' | 'goals'> | undefined;
  readonly isOpen: boolean;
  readonly isFaulty: boolean;
}) {
  const { trigger, filter, exit = [], throttle } = definition;
  const { entered = 0, goals = 0 } = report ?? {};
  return (
    <>
      <div
        className="step-card"
        data-kind="trigger"
        data-open={isOpen || undefined}
        data-faulty={isFaulty || undefined}
      >
        <span className="step-icon">
          <Icon name="bolt" />
        </span>
        <span className="grow wrap">
          <span className="strong" dir="auto">
            {triggerText(trigger, names)}
          </span>
          <span className="soft small">
            {entryText(definition)}
            {isFaulty && <span className="bad"> To mend</span>}
          </span>
        </span>
        {entered > 0 && (
          <span className="step-numbers">
            <span className="strong numbers">{formatCount(entered)}</span>
            <span className="soft small">entered</span>
          </span>
        )}
      </div>
      <div className="frame-chips">
        {filter !== undefined && (
          <span className="frame-chip" dir="auto">
            <Icon name="filter" /> Only {summarize(filter, names)}
          </span>
        )}
        {exit.map((each, index) => (
          // They have no identity of their own.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={index} className="frame-chip" data-goal={goalOf(each)} dir="auto">
            <Icon name={goalOf(each) === 'goal' ? 'start' : 'leave'} /> {exitText(each, names)}
            {goalOf(each) === 'goal' && ', the goal'}
          </span>
        ))}
        {throttle !== undefined && (
          <span className="frame-chip">
            <Icon name="clock" /> {throttleText(throttle)}
          </span>
        )}
        {goals > 0 && (
          <span className="frame-goals small">
            <span className="strong numbers">{formatCount(goals)}</span>{' '}
            {goals === 1 ? 'goal' : 'goals'}, {formatShare(goals, entered)}
          </span>
        )}
      </div>
    </>
  );
}
