import { useState, type KeyboardEvent } from 'react';
import { labelIdOf, type FieldControl } from './field.tsx';
import { Icon } from './icon.tsx';
import { LazyPickerList, useIdleLoad } from './lazy-picker-list.tsx';
import type { Option } from './options.ts';
import { usePopover } from './use-popover.ts';

type PickerProps = {
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Properties of its button. */
  readonly control: FieldControl & { readonly 'aria-required'?: boolean | undefined };
};

/**
 * A button with the chosen option that opens the list of all. Moving in it changes nothing: Enter or a press
 * chooses, Escape keeps the old.
 */
export function Picker({ options, value, onChange, control }: PickerProps) {
  const { button, isOpen, open, close, popoverProps } = usePopover();
  const [typed, setTyped] = useState('');
  const listId = `${control.id}-list`;
  useIdleLoad();
  const openByKey = (event: KeyboardEvent): void => {
    const letter = letterOf(event);
    if (letter === null && event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setTyped(letter ?? '');
    open();
  };
  const offered = withChosen(options, value);
  const chosen = offered.find((option) => option.value === value);
  return (
    <>
      <button
        {...control}
        ref={button}
        type="button"
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={listId}
        popoverTarget={listId}
        className="input picker-button"
        onClick={() => setTyped('')}
        onKeyDown={openByKey}
      >
        <bdi className="cut">{chosen?.label ?? 'Choose…'}</bdi>
        <Icon name="chevron" />
      </button>
      <div {...popoverProps} id={listId} className="menu picker">
        {isOpen && (
          <LazyPickerList
            options={offered.filter(({ isPrompt }) => isPrompt !== true)}
            value={value}
            typed={typed}
            labelId={labelIdOf(control.id)}
            onChoose={(next) => {
              close();
              if (next !== value) onChange(next);
            }}
          />
        )}
      </div>
    </>
  );
}

/**
 * The chosen one is always among the options: the list may still load, end before it, or lack it because it
 * was deleted.
 */
function withChosen(options: readonly Option[], value: string): readonly Option[] {
  if (value === '' || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: value }];
}

/** What a key writes; null for a key that writes nothing, or acts. */
function letterOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | null {
  return key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey ? key : null;
}
