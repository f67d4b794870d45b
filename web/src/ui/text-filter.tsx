import { useState } from 'react';
import { TextField } from './field.tsx';

type TextFilterProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  /** What is looked for, as the interface writes it; null where what was typed cannot be it. */
  readonly read?: (text: string) => string | null;
  readonly fault?: string;
};

/** A filter that is typed: it holds from Enter on, or when the field is left. */
export function TextFilter({
  label,
  value,
  onChange,
  placeholder = 'Exactly, then Enter',
  read = (text) => text,
  fault,
}: TextFilterProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // Another value comes from outside: by the address, or with all filters cleared.
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const found = text.trim() === '' ? '' : read(text.trim());
  const apply = (): void => {
    if (found !== null && found !== value) onChange(found);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <TextField
        label={label}
        value={text}
        onChange={setText}
        onBlur={apply}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        fault={found === null ? fault : undefined}
      />
    </form>
  );
}
