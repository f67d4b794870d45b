import type { Option } from './options.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

/** A filter with fixed choices. Its first choice, with an empty value, matches everything. */
export function ChoiceFilter({
  label,
  value,
  onChange,
  options,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly Option[];
}) {
  const chosen = options.find((option) => option.value === value);
  return (
    <Menu
      className={value === '' ? 'chip' : 'chip set'}
      name={`${label}: ${chosen?.label ?? value}`}
      label={
        <>
          <span className="chip-label">
            {label}
            {value !== '' && ': '}
          </span>
          {value !== '' && <span className="cut">{chosen?.label ?? value}</span>}
          <Icon name="chevron" />
        </>
      }
      items={options.map((option) => ({ ...option, isChosen: option.value === value }))}
      onChoose={onChange}
    />
  );
}
