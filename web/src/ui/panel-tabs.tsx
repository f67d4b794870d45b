import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

export type PanelTab = {
  readonly key: string;
  readonly label: ReactNode;
  /** Something in its panel is wrong. */
  readonly isFaulty: boolean;
  readonly panel: ReactNode;
};

type TabsProps = {
  readonly label: string;
  readonly tabs: readonly PanelTab[];
  readonly active: string;
  readonly onChange: (key: string) => void;
  /** Behind the tabs. */
  readonly beside?: ReactNode;
};

/**
 * Parts of a form, of which one is shown. The others stay as they are, and a part shows itself when the form
 * leads to one of its fields. Arrows move between the tabs, Enter or a press shows one.
 */
export function PanelTabs({ label, tabs, active, onChange, beside }: TabsProps) {
  const id = useId();
  const moveFocus = ({ key, currentTarget }: KeyboardEvent<HTMLElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const all = [
      ...(currentTarget.parentElement?.querySelectorAll<HTMLElement>('[role=tab]') ?? []),
    ];
    const at = all.indexOf(currentTarget);
    const isMirrored = getComputedStyle(currentTarget).direction === 'rtl';
    all.at((at + (isMirrored ? -step : step)) % all.length)?.focus();
  };
  return (
    <>
      <div className="tabs">
        <div role="tablist" aria-label={label}>
          {tabs.map(({ key, label: name, isFaulty }) => (
            <button
              key={key}
              type="button"
              role="tab"
              id={`${id}-tab-${key}`}
              aria-controls={`${id}-${key}`}
              aria-selected={key === active}
              tabIndex={key === active ? 0 : -1}
              onClick={() => onChange(key)}
              onKeyDown={moveFocus}
            >
              {isFaulty && (
                <span className="tab-fault">
                  <Icon name="warning" />
                  <span className="hidden-visually">Has a fault:</span>
                </span>
              )}
              {name}
            </button>
          ))}
        </div>
        {beside}
      </div>
      {tabs.map(({ key, panel }) => (
        <Panel
          key={key}
          id={`${id}-${key}`}
          labelledBy={`${id}-tab-${key}`}
          isShown={key === active}
          onShow={() => onChange(key)}
        >
          {panel}
        </Panel>
      ))}
    </>
  );
}

function Panel({
  id,
  labelledBy,
  isShown,
  onShow,
  children,
}: {
  readonly id: string;
  readonly labelledBy: string;
  readonly isShown: boolean;
  readonly onShow: () => void;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = ref;
    const show = (): void => {
      // At once: the focus follows.
      current?.removeAttribute('hidden');
      onShow();
    };
    current?.addEventListener('reveal', show);
    return () => current?.removeEventListener('reveal', show);
  });
  return (
    <div
      ref={ref}
      id={id}
      role="tabpanel"
      aria-labelledby={labelledBy}
      className="stack"
      hidden={!isShown}
    >
      {children}
    </div>
  );
}
