import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import { LIMITS } from '@tidings/contracts/limits';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { NamedEventFields } from '../../conditions/event-fields.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';

type StepsProps = {
  readonly steps: readonly FunnelStep[];
  readonly onChange: (steps: readonly FunnelStep[]) => void;
};

/** What happens at the event of a step once it is drawn. */
type Wanted = { readonly step: number; readonly opens: boolean };

/** The steps in their order. Choosing an event opens the next one that is not chosen yet. */
export function StepsPart({ steps, onChange }: StepsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState<Wanted | null>(
    steps[0]?.event === '' ? { step: 0, opens: true } : null,
  );
  useEffect(() => {
    if (wanted === null) return;
    const picker = box.current?.querySelector<HTMLElement>(
      `[data-step="${wanted.step}"] .picker-button`,
    );
    picker?.focus();
    const list = document.querySelector<HTMLElement>(`#${CSS.escape(listOf(picker))}`);
    if (wanted.opens && list?.matches(':popover-open') === false) list.showPopover();
  }, [wanted]);
  const change = (index: number, step: FunnelStep): void => {
    const before = steps[index]?.event;
    onChange(steps.with(index, step));
    if (before !== step.event && steps[index + 1]?.event === '')
      setWanted({ step: index + 1, opens: true });
  };
  const move = (from: number, to: number): void => {
    const moved = steps[from];
    if (moved === undefined || to < 0 || to >= steps.length) return;
    onChange(steps.toSpliced(from, 1).toSpliced(to, 0, moved));
    setWanted({ step: to, opens: false });
  };
  const remove = (index: number): void => {
    if (steps.length <= LIMITS.funnelStepsMin) return;
    onChange(steps.toSpliced(index, 1));
    setWanted({ step: Math.min(index, steps.length - 2), opens: false });
  };
  return (
    <div ref={box} className="funnel-steps">
      {steps.map((step, index) => (
        <StepPart
          // Steps have no identity of their own; all their fields are controlled.
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          step={step}
          index={index}
          count={steps.length}
          onChange={(next) => change(index, next)}
          onMove={(by) => move(index, index + by)}
          onRemove={() => remove(index)}
        />
      ))}
      {steps.length < LIMITS.funnelStepsMax && (
        <Button
          isSmall
          className="condition-add"
          onClick={() => {
            onChange([...steps, { event: '' }]);
            setWanted({ step: steps.length, opens: true });
          }}
        >
          + Step
        </Button>
      )}
    </div>
  );
}

const listOf = (picker: Element | null | undefined): string =>
  picker?.getAttribute('aria-controls') ?? 'none';

const MOVES: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowLeft: -1,
  ArrowDown: 1,
  ArrowRight: 1,
};

/** One event with its attributes. Alt and arrows move it, Backspace at its event removes it. */
function StepPart({
  step,
  index,
  count,
  onChange,
  onMove,
  onRemove,
}: {
  readonly step: FunnelStep;
  readonly index: number;
  readonly count: number;
  readonly onChange: (step: FunnelStep) => void;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
}) {
  const name = `Step ${index + 1}`;
  const onKey = (event: KeyboardEvent): void => {
    const target = event.target as Element;
    if (!target.matches('.picker-button')) return;
    const by = MOVES[event.key];
    if (event.altKey && by !== undefined) onMove(by);
    else if (event.key === 'Backspace' || event.key === 'Delete') onRemove();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const items: readonly MenuItem[] = [
    ...(step.where === undefined ? [{ value: 'where', label: 'Only where…' }] : []),
    ...(index > 0 ? [{ value: 'earlier', label: 'Move earlier', hint: 'Alt ↑' }] : []),
    ...(index < count - 1 ? [{ value: 'later', label: 'Move later', hint: 'Alt ↓' }] : []),
    ...(count > LIMITS.funnelStepsMin
      ? [{ value: 'remove', label: 'Remove step', hint: '⌫' }]
      : []),
  ];
  const act = (value: string): void => {
    if (value === 'where') onChange({ ...step, where: [{ attribute: '', is: '' }] });
    if (value === 'earlier') onMove(-1);
    if (value === 'later') onMove(1);
    if (value === 'remove') onRemove();
  };
  return (
    <div
      className="condition-line funnel-step"
      data-step={index}
      role="group"
      aria-label={name}
      onKeyDownCapture={onKey}
    >
      <span className="word">{index === 0 ? 'People who did' : 'then'}</span>
      <NamedEventFields
        label={`Event of step ${index + 1}`}
        node={step}
        pointer={`/steps/${index}`}
        onChange={onChange}
      />
      <Menu
        className="icon plain small"
        name={`Actions of step ${index + 1}`}
        label={<Icon name="more" />}
        items={items}
        onChoose={act}
      />
    </div>
  );
}
