import { useEffect, useState } from 'react';
import { PAGE_SEARCH } from '../lib/shortcuts.ts';
import { Icon } from './icon.tsx';
import { useSettled } from './use-settled.ts';

const SETTLED_MS = 250;

/** The search of a list, in the bar of its page. It applies while the viewer types; `/` moves to it. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // The value changed outside: through the URL or by clearing all filters.
  if (shown !== value) {
    setShown(value);
    if (value !== text.trim()) setText(value);
  }
  const settled = useSettled(text.trim(), SETTLED_MS);
  useEffect(() => {
    if (settled !== value && settled === text.trim()) onChange(settled);
    // Only what is typed applies: a value from outside is shown as it is.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [settled]);
  return (
    <form
      className="search-box"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <Icon name="search" />
      <input
        {...PAGE_SEARCH}
        type="search"
        className="input"
        dir="auto"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}
