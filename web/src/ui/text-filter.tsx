import { useState } from 'react';
import { TextField } from './field.tsx';

type TextFilterProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Converts the input to the value of the API; null if the input is invalid. */
  readonly read?: (text: string) => string | null;
  readonly error?: string;
};

/** A text filter. It applies on Enter or when the field loses the focus. */
export function TextFilter({
  label,
  value,
  onChange,
  read = (text) => text,
  error,
}: TextFilterProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // The value changed outside: through the URL or by clearing all filters.
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
      className="text-filter"
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
        autoComplete="off"
        spellCheck={false}
        error={found === null ? error : undefined}
      />
    </form>
  );
}
