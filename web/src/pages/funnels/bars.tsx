import { useId, useState, type CSSProperties } from 'react';
import type { Names } from '../../conditions/describe-condition.ts';
import { formatCount, formatDuration, formatShare } from '../../lib/format.ts';
import { useWidthRem } from '../../ui/use-width.ts';
import type { FunnelPlace } from './draft.ts';
import type { ShownFunnel, ShownStep } from './use-funnel-answer.ts';
import { stepName } from './words.ts';

type BarsProps = {
  readonly shown: ShownFunnel;
  readonly names: Names;
  readonly place: FunnelPlace | null;
  readonly onOpen: (place: FunnelPlace) => void;
};

/** What lies between two bars needs this much room, what is written at the last one this; and so wide are the bars then. */
const BETWEEN_REM = 9.25;
const LAST_REM = 7;
const BAR_REM = { min: 3.5, max: 9.5 } as const;

/** The width of bars that stand beside each other. */
function barRem(widthRem: number, count: number): number {
  const left = widthRem - BETWEEN_REM * (count - 1);
  return left / count >= LAST_REM ? left / count : (left - LAST_REM) / (count - 1);
}

/** How many came to each step; between two of them how many dropped out, may still go on, and how long it took. */
export function FunnelBars({ shown, names, place, onOpen }: BarsProps) {
  const [box, setBox] = useState<HTMLElement | null>(null);
  const width = useWidthRem(box);
  const { steps } = shown;
  const bar = barRem(width, steps.length);
  const stands = bar >= BAR_REM.min;
  const all = steps[0]?.users ?? 0;
  const share = (of: number | undefined): number => (all === 0 ? 0 : Math.min(1, (of ?? 0) / all));
  const earlier = shown.before?.result.steps;
  return (
    <ol
      ref={setBox}
      className={stands ? 'funnel-bars standing' : 'funnel-bars lying'}
      aria-label="Steps"
      style={{ '--bar': `${Math.min(bar, BAR_REM.max)}rem` } as CSSProperties}
    >
      {steps.map((step, index) => {
        const before = steps[index - 1];
        const number = index + 1;
        const funnelStep = shown.question.steps[index];
        const name = funnelStep === undefined ? '' : stepName(funnelStep, names);
        const style = {
          '--went': share(step.users),
          '--open': share(before?.open),
          '--next': share(steps[number]?.users),
          '--before': earlier?.[index]?.fromStart,
        } as CSSProperties;
        const isOpen = (state: FunnelPlace['state'], at: number): boolean =>
          place?.state === state && place.step === at && !('group' in place);
        return (
          // Steps have no identity of their own.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="funnel-bar" style={style}>
            <div className="funnel-head">
              <span className="funnel-number" aria-hidden="true">
                {number}
              </span>
              <StepName name={name} />
            </div>
            <div className="funnel-track">
              <Segment
                kind="went"
                isOpen={isOpen('reached', number)}
                onOpen={() => onOpen({ state: 'reached', step: number })}
              />
              {before !== undefined && (before.open ?? 0) > 0 && (
                <Segment
                  kind="open"
                  isOpen={isOpen('open', index)}
                  onOpen={() => onOpen({ state: 'open', step: index })}
                />
              )}
              {before !== undefined && (before.dropped ?? 0) > 0 && (
                <Segment
                  kind="gone"
                  isOpen={isOpen('dropped', index)}
                  onOpen={() => onOpen({ state: 'dropped', step: index })}
                />
              )}
              {before !== undefined && hasStarted(earlier) && (
                <span className="funnel-before" aria-hidden="true" />
              )}
            </div>
            <div className="funnel-figures">
              <Number
                value={step.users}
                shown={shown}
                step={step}
                isOpen={isOpen('reached', number)}
                label={`came to step ${number}`}
                onOpen={() => onOpen({ state: 'reached', step: number })}
              />
              <span className="soft small">
                {before === undefined ? (
                  'people started'
                ) : (
                  <>
                    <strong>{formatShare(step.users, before.users)}</strong> of step {index}
                  </>
                )}
              </span>
            </div>
            {number < steps.length && (
              <Between
                step={step}
                next={steps[number]}
                number={number}
                shown={shown}
                isOpen={isOpen}
                onOpen={onOpen}
              />
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** Of no one there is no share. */
const hasStarted = (steps: readonly Pick<ShownStep, 'users'>[] | undefined): boolean =>
  (steps?.[0]?.users ?? 0) > 0;

/** Longer names may be cut after two lines, and are shown whole while they have the focus. */
const NAME_CHARS_WHOLE = 24;

function StepName({ name }: { readonly name: string }) {
  return (
    <bdi
      className="clamp"
      title={name}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={name.length > NAME_CHARS_WHOLE ? 0 : undefined}
    >
      {name}
    </bdi>
  );
}

/** A part of a bar for the pointer; the number beside it is for keys. */
function Segment({
  kind,
  isOpen,
  onOpen,
}: {
  readonly kind: 'went' | 'open' | 'gone';
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-hidden="true"
      className={`funnel-segment ${kind}`}
      data-open={isOpen || undefined}
      onClick={onOpen}
    />
  );
}

function Number({
  value,
  shown: { isExact },
  step,
  sign = '',
  label,
  describedBy,
  isOpen,
  onOpen,
}: {
  readonly value: number;
  readonly shown: ShownFunnel;
  /** Whose bounds it has. */
  readonly step?: ShownStep;
  readonly sign?: string;
  /** What it counts, for those who do not see where it stands. */
  readonly label: string;
  /** The id of what stands beside it. */
  readonly describedBy?: string;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const { low, high } = step ?? {};
  return (
    <button
      type="button"
      className="number funnel-count"
      aria-expanded={isOpen}
      aria-describedby={describedBy}
      title={
        low === undefined || high === undefined
          ? undefined
          : `Between ${formatCount(low)} and ${formatCount(high)}, with 95 % certainty`
      }
      onClick={onOpen}
    >
      <span dir="ltr">
        {isExact ? '' : '≈ '}
        {sign}
        {formatCount(value)}
      </span>
      <span className="hidden-visually"> {label}</span>
    </button>
  );
}

function Between({
  step,
  next,
  number,
  shown,
  isOpen,
  onOpen,
}: {
  readonly step: ShownStep;
  readonly next: ShownStep | undefined;
  readonly number: number;
  readonly shown: ShownFunnel;
  readonly isOpen: (state: FunnelPlace['state'], at: number) => boolean;
  readonly onOpen: (place: FunnelPlace) => void;
}) {
  const { medianMs, p90Ms } = next ?? {};
  const id = useId();
  return (
    <div className="funnel-between">
      <span className="funnel-slope" aria-hidden="true" />
      {step.dropped !== undefined && (
        <p className="funnel-dropped">
          <Number
            value={step.dropped}
            shown={shown}
            sign={step.dropped > 0 ? '−' : ''}
            label={`of step ${number}`}
            describedBy={`${id}-dropped`}
            isOpen={isOpen('dropped', number)}
            onOpen={() => onOpen({ state: 'dropped', step: number })}
          />{' '}
          <span id={`${id}-dropped`} className="soft small">
            dropped out
          </span>
        </p>
      )}
      <p className="funnel-times soft small">
        {medianMs != null && p90Ms != null && (
          <span>
            <strong>{formatDuration(medianMs)}</strong>
            <span className="funnel-times-of">
              median · <span className="nowrap">p90 {formatDuration(p90Ms)}</span>
            </span>
          </span>
        )}
        {step.open !== undefined && (
          <span>
            <Number
              value={step.open}
              shown={shown}
              label={`of step ${number}`}
              describedBy={`${id}-open`}
              isOpen={isOpen('open', number)}
              onOpen={() => onOpen({ state: 'open', step: number })}
            />{' '}
            <span id={`${id}-open`}>may still go on</span>
          </span>
        )}
      </p>
    </div>
  );
}
