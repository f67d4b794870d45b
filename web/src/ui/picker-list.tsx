import './react-aria.ts';
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem, Text } from 'react-aria-components/ListBox';
import { TextField } from 'react-aria-components/TextField';
import { Icon } from './icon.tsx';
import type { Option } from './options.ts';

/** With more options the list has a search. */
const WITHOUT_SEARCH_MAX = 8;

/** React Aria says what it controls. */
const COMBOBOX = { role: 'combobox', 'aria-expanded': true } as const;

type ListProps = {
  readonly options: readonly Option[];
  readonly value: string;
  /** What was typed on the closed button. */
  readonly typed: string;
  readonly labelId: string;
  readonly onChoose: (value: string) => void;
};

/** The options of a picker, with the focus in them. */
export function PickerList(props: ListProps) {
  return props.options.length > WITHOUT_SEARCH_MAX ? (
    <SearchedList {...props} />
  ) : (
    <PlainList {...props} />
  );
}

function SearchedList({ options, value, typed, ...rest }: ListProps) {
  const { contains } = useFilter({ sensitivity: 'base' });
  const isChosen = (option: Option): boolean => option.value === value;
  const ordered = [...options.filter(isChosen), ...options.filter((each) => !isChosen(each))];
  return (
    <Autocomplete filter={contains} defaultInputValue={typed}>
      <TextField className="picker-search" aria-label="Search">
        <Icon name="search" />
        <Input {...COMBOBOX} ref={focusIt} dir="auto" />
      </TextField>
      <Options {...rest} options={ordered} value={value} />
    </Autocomplete>
  );
}

function PlainList({ typed, ...rest }: ListProps) {
  const meant = findTyped(rest.options, typed);
  return <Options {...rest} focus={meant ?? 'chosen'} />;
}

function findTyped(options: readonly Option[], typed: string): Option | undefined {
  if (typed === '') return undefined;
  const letter = typed.toLocaleLowerCase();
  return options.find(({ label }) => label.toLocaleLowerCase().startsWith(letter));
}

const focusIt = (element: HTMLElement | null): void => element?.focus();

type OptionsProps = Omit<ListProps, 'typed'> & {
  /** The option that takes the focus when the list appears. `chosen`: that one, or the first. */
  readonly focus?: Option | 'chosen';
};

function Options({ options, value, labelId, onChoose, focus }: OptionsProps) {
  const chosen = options.find((option) => option.value === value);
  const item = (option: Option) => (
    <ListBoxItem
      key={option.value}
      className="picker-option"
      id={keyOf(option)}
      textValue={option.label}
      ref={option === focus ? focusIt : null}
    >
      {value !== '' && (
        <span className="menu-check">{option === chosen && <Icon name="check" />}</span>
      )}
      <Text slot="label" elementType="bdi" className="grow">
        {option.label}
      </Text>
      {option.hint !== undefined && (
        <Text slot="description" className="menu-hint">
          {option.hint}
        </Text>
      )}
    </ListBoxItem>
  );
  return (
    <ListBox
      className="picker-options"
      aria-labelledby={labelId}
      // In a search it would be called "Suggestions" besides.
      aria-label=""
      selectionMode="single"
      selectedKeys={chosen ? [keyOf(chosen)] : []}
      // Without a key: the chosen one was chosen again.
      onSelectionChange={(keys) =>
        onChoose(options.find((each) => new Set(keys).has(keyOf(each)))?.value ?? value)
      }
      shouldSelectOnPressUp
      // Escape closes the popover.
      escapeKeyBehavior="none"
      renderEmptyState={() => <p className="soft picker-note">No match</p>}
      {...(focus === 'chosen' && { autoFocus: 'first' })}
    >
      {options.map(item)}
    </ListBox>
  );
}

/** React Aria has no empty keys. */
const keyOf = ({ value }: Option): string => `=${value}`;
