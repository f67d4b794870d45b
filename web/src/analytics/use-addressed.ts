import { useEffect, useState } from 'react';
import { useSettled } from '../ui/use-settled.ts';

const SETTLED_MS = 350;

/**
 * A value that is written in the address once it is complete and has not changed for a moment, so that
 * typing is not held up by it. A change of the address from outside replaces it.
 */
export function useAddressed<T>(
  text: string,
  {
    read,
    write,
    isComplete,
  }: {
    readonly read: (text: string) => T;
    readonly write: (text: string) => void;
    readonly isComplete: (value: T) => boolean;
  },
): readonly [T, (value: T) => void] {
  const [draft, setDraft] = useState<T>(() => read(text));
  const [shown, setShown] = useState(text);
  // What was written here and is on its way: what is chosen meanwhile is newer.
  const [underway, setUnderway] = useState<readonly string[]>([]);
  if (shown !== text) {
    setShown(text);
    setUnderway(underway.slice(underway.indexOf(text) + 1 || underway.length));
    if (!underway.includes(text) && text !== JSON.stringify(draft)) setDraft(read(text));
  }
  const settled = useSettled(draft, SETTLED_MS);
  useEffect(() => {
    const next = JSON.stringify(settled);
    if (
      settled === draft &&
      next !== text &&
      next !== JSON.stringify(read(text)) &&
      isComplete(settled)
    ) {
      setUnderway((before) => [...before, next]);
      write(next);
    }
    // Only what was chosen here is written.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [settled]);
  return [draft, setDraft];
}
