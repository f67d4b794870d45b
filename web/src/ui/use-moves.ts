import { useEffect, useRef } from 'react';

export type Direction = 'up' | 'down';

/** The list after one of its items has moved by a place. */
export function moveItem<Item>(
  items: readonly Item[],
  from: number,
  direction: Direction,
): readonly Item[] {
  const to = direction === 'up' ? from - 1 : from + 1;
  return items.toSpliced(from, 1).toSpliced(to, 0, ...items.slice(from, from + 1));
}

/**
 * Keeps the focus on the button that moved an item: a part of the page that moves loses it. `list` is
 * the element of the list. Each item in it has its key as `data-item`; its buttons have their direction
 * as `data-move`.
 */
export function useMoves<List extends HTMLElement>(items: readonly unknown[]) {
  const list = useRef<List>(null);
  const moved = useRef<Moved | null>(null);
  useEffect(() => {
    if (moved.current !== null) focusMoved(list.current, moved.current);
    moved.current = null;
  }, [items]);
  const rememberMove = (key: string, direction: Direction): void => {
    moved.current = { key, direction };
  };
  return { list, rememberMove };
}

type Moved = { readonly key: string; readonly direction: Direction };

/** At an end of the list only the other button is left. */
function focusMoved(list: HTMLElement | null, { key, direction }: Moved): void {
  const buttons = [
    ...(list?.querySelectorAll<HTMLButtonElement>(`[data-item="${key}"] [data-move]`) ?? []),
  ].filter(({ disabled }) => !disabled);
  (buttons.find(({ dataset }) => dataset['move'] === direction) ?? buttons[0])?.focus();
}
