import { useEffect } from 'react';
import { onShortcut } from '../lib/shortcuts.ts';

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 };

/** Moves the focus between the rows of a table: J and K from anywhere, arrows inside of it. */
export function useRowKeys(box: HTMLElement | null, isOn: boolean): void {
  useEffect(() => {
    if (box === null || !isOn) return undefined;
    const onArrow = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.key.length === 1) return;
      if (event.target instanceof Element && event.target.closest('[role=menu]') !== null) return;
      if (moveRow(box, event.key)) event.preventDefault();
    };
    box.addEventListener('keydown', onArrow);
    const forget = onShortcut((key) => moveRow(box, key));
    return () => {
      box.removeEventListener('keydown', onArrow);
      forget();
    };
  }, [box, isOn]);
}

function moveRow(box: HTMLElement, key: string): boolean {
  const step = STEPS[key];
  if (step === undefined) return false;
  const rows = [...box.querySelectorAll('tbody tr:not(.filler)')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at === -1 ? 0 : at + step];
  const target = next?.querySelector<HTMLElement>('a, button');
  target?.focus();
  return target != null;
}
