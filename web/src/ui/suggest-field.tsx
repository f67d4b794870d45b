import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Field, type FieldProps, type Value } from './field.tsx';
import type { Option } from './options.ts';
import { placeBeside } from './place.ts';

const SHOWN_MAX = 20;

type SuggestFieldProps = FieldProps &
  Value & {
    readonly options: readonly Option[];
    /** Default: its value becomes the text. */
    readonly onChoose?: (option: Option) => void;
    readonly placeholder?: string;
    /** Enter takes the first of the list, for a field that only chooses. */
    readonly takesFirst?: boolean;
    /** If false, the text has found the options by itself. */
    readonly isFiltered?: boolean;
  };

/**
 * A field of text that suggests values while it is written in; others may be written too. Arrows move
 * in the list, Enter takes what they moved to, Escape closes it.
 */
export function SuggestField({
  options,
  value,
  onChange,
  onChoose = (option) => onChange(option.value),
  placeholder,
  takesFirst = false,
  isFiltered = true,
  ...field
}: SuggestFieldProps) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const shown = isFiltered ? (takesFirst ? find : suggest)(options, value) : options;
  const isShown = isOpen && shown.length > 0;
  useLayoutEffect(() => {
    if (list.current === null || input.current === null) return;
    if (list.current.matches(':popover-open') !== isShown) list.current.togglePopover(isShown);
    if (isShown) placeBeside(list.current, input.current);
  });
  const open = (): void => {
    setActive(takesFirst ? 0 : -1);
    setOpen(true);
  };
  const close = (): void => setOpen(false);
  const choose = (option: Option): void => {
    onChoose(option);
    close();
  };
  const move = (event: KeyboardEvent): void => {
    const chosen = shown[active];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isShown) return open();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((active + step + shown.length) % shown.length);
    } else if (event.key === 'Enter') {
      const isChosen = isShown && chosen !== undefined;
      // Not the form around it.
      if (isChosen || takesFirst) event.preventDefault();
      if (isChosen) choose(chosen);
      else close();
    } else if (event.key === 'Escape' && isShown) {
      event.stopPropagation();
      close();
    }
  };
  return (
    <Field {...field}>
      {(control) => (
        <>
          <input
            {...control}
            ref={input}
            type="text"
            dir="auto"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isShown}
            aria-controls={listId}
            aria-activedescendant={
              isShown && active >= 0 ? `${listId}-${String(active)}` : undefined
            }
            value={value}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              onChange(event.target.value);
              open();
            }}
            onFocus={open}
            onClick={open}
            onBlur={close}
            onKeyDown={move}
          />
          <div
            ref={list}
            id={listId}
            popover="manual"
            className="menu suggestions"
            role="listbox"
            aria-label="Suggestions"
          >
            {isShown &&
              shown.map((option, index) => (
                // Keys act in the field, which keeps the focus.
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
                <div
                  key={option.value}
                  id={`${listId}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  className="picker-option"
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(option)}
                >
                  <bdi className="grow">{option.label}</bdi>
                  {option.hint !== undefined && <span className="menu-hint">{option.hint}</span>}
                </div>
              ))}
          </div>
        </>
      )}
    </Field>
  );
}

/** What contains the text, best first: all of it, its beginning, the beginning of a word. */
function find(options: readonly Option[], text: string): readonly Option[] {
  const written = text.trim().toLocaleLowerCase();
  const rank = (label: string): number => {
    if (label === written) return 0;
    if (label.startsWith(written)) return 1;
    return ` ${label}`.includes(` ${written}`) ? 2 : 3;
  };
  return options
    .map((option) => ({ option, label: option.label.toLocaleLowerCase() }))
    .filter(({ label }) => label.includes(written))
    .toSorted((one, other) => rank(one.label) - rank(other.label))
    .slice(0, SHOWN_MAX)
    .map(({ option }) => option);
}

/** As `find`; all of them once it is one of them. */
const suggest = (options: readonly Option[], text: string): readonly Option[] =>
  options.some(({ value, label }) => value === text || label === text)
    ? options.slice(0, SHOWN_MAX)
    : find(options, text);
