import { useState } from 'react';

/** A value that stays the same object while it says the same: a question is asked again when it changes. */
export function useSame<T>(value: T): T {
  const [kept, keep] = useState(value);
  const isSame = JSON.stringify(kept) === JSON.stringify(value);
  if (!isSame) keep(value);
  return isSame ? kept : value;
}
