import { useId, type ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { LazyPickerList, useIdleLoad } from './lazy-picker-list.tsx';
import type { Option } from './options.ts';
import { usePopover } from './use-popover.ts';

/** A button that opens a list with a search; what is chosen there acts. Escape closes it. */
export function ChoiceButton({
  label,
  options,
  onChoose,
  isSmall = false,
}: {
  readonly label: ReactNode;
  readonly options: readonly Option[];
  readonly onChoose: (value: string) => void;
  readonly isSmall?: boolean;
}) {
  const { button, isOpen, close, popoverProps } = usePopover();
  const id = useId();
  useIdleLoad();
  return (
    <>
      <button
        ref={button}
        type="button"
        id={id}
        className={buttonClass(undefined, isSmall)}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        popoverTarget={`${id}-list`}
      >
        {label}
      </button>
      <div {...popoverProps} id={`${id}-list`} className="menu picker">
        {isOpen && (
          <LazyPickerList
            options={options}
            value=""
            typed=""
            labelId={id}
            isSearched
            onChoose={(value) => {
              close();
              onChoose(value);
            }}
          />
        )}
      </div>
    </>
  );
}
