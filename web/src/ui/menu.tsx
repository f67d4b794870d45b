import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { buttonClass } from './button.tsx';

export type MenuItem = { readonly value: string; readonly label: string };

type MenuProps = {
  /** The text of its button. */
  readonly label: ReactNode;
  readonly items: readonly MenuItem[];
  readonly onChoose: (value: string) => void;
};

/** Below the button, and inside of the window: the gap between them in pixels. */
const GAP = 4;

/**
 * A button that opens a list of actions. Arrows move, Enter or a press acts, Escape closes; nothing
 * happens by moving alone. The browser's popover closes it by a press outside.
 */
export function Menu({ label, items, onChoose }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const entries = (): HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
  ];
  const moveFocus = (event: KeyboardEvent): void => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = nextIndex(event.key, at, all);
    if (next === null) return;
    event.preventDefault();
    all[next]?.focus();
  };
  const open = (): void => {
    const place = button.current?.getBoundingClientRect();
    const menu = list.current;
    if (place === undefined || menu === null) return;
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    const isAbove = place.bottom + GAP + height > innerHeight && place.top > height + GAP;
    const left = getComputedStyle(menu).direction === 'rtl' ? place.right - width : place.left;
    menu.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
    menu.style.top = `${isAbove ? place.top - height - GAP : place.bottom + GAP}px`;
    entries()[0]?.focus();
  };
  const close = (): void => {
    list.current?.hidePopover();
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={`${buttonClass()} menu-button`}
        aria-haspopup="menu"
        aria-controls={id}
        onClick={open}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          open();
        }}
      >
        {label}
      </button>
      <div
        ref={list}
        id={id}
        className="menu"
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={typeof label === 'string' ? label : undefined}
        onKeyDown={moveFocus}
      >
        {items.map(({ value, label: text }) => (
          <button
            key={value}
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              close();
              onChoose(value);
            }}
          >
            {text}
          </button>
        ))}
      </div>
    </>
  );
}

/** The entry that a key leads to; null if the key leads to none. A letter finds the next that begins with it. */
function nextIndex(key: string, at: number, all: readonly HTMLElement[]): number | null {
  const { length } = all;
  if (key === 'ArrowDown') return (at + 1) % length;
  if (key === 'ArrowUp') return (at - 1 + length) % length;
  if (key === 'Home') return 0;
  if (key === 'End') return length - 1;
  if (key.length !== 1 || key === ' ') return null;
  const order = Array.from(all, (_, index) => (at + 1 + index) % length);
  return (
    order.find((index) =>
      all[index]?.textContent.toLocaleLowerCase().startsWith(key.toLocaleLowerCase()),
    ) ?? null
  );
}
