import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { placeBeside } from './place.ts';

export type MenuItem = {
  readonly value: string;
  readonly label: string;
  readonly icon?: IconName;
  /** At the end of the entry: a key, or what is chosen now. */
  readonly hint?: string;
  /** Whether it is the chosen one of its group. Omit for actions. */
  readonly isChosen?: boolean;
};
export type MenuGroup = { readonly label?: string; readonly items: readonly MenuItem[] };

type MenuProps = {
  /** The content of its button. */
  readonly label: ReactNode;
  /** The accessible name of button and menu, if the button has no text of its own. */
  readonly name?: string;
  /** Further classes of the button. */
  readonly className?: string;
  /** Of the button, where it is an item of another list. */
  readonly role?: 'treeitem';
  /** Above the entries. */
  readonly head?: ReactNode;
  readonly onChoose: (value: string) => void;
} & ({ readonly items: readonly MenuItem[] } | { readonly groups: readonly MenuGroup[] });

/**
 * A button that opens a list of actions or choices. Arrows move, Enter or a press acts, Escape
 * closes; nothing happens by moving alone. The browser's popover closes it by a press outside.
 */
export function Menu({ label, name, className, role, head, onChoose, ...given }: MenuProps) {
  const groups = 'groups' in given ? given.groups : [{ items: given.items }];
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // A press outside closes it before the click: one on its own button must not open it again.
  const wasOpen = useRef(false);
  const entries = (): HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
  ];
  const moveFocus = (event: KeyboardEvent): void => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = nextIndex(event.key, at, all);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    all[next]?.focus();
  };
  const open = (): void => {
    if (button.current === null || list.current === null) return;
    list.current.showPopover();
    placeBeside(list.current, button.current);
    const all = entries();
    (all.find(({ ariaChecked }) => ariaChecked === 'true') ?? all[0])?.focus();
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
        className={`${buttonClass()} menu-button ${className ?? ''}`}
        role={role}
        tabIndex={role === undefined ? undefined : -1}
        aria-haspopup="menu"
        aria-controls={id}
        aria-label={name}
        onPointerDown={() => {
          wasOpen.current = list.current?.matches(':popover-open') === true;
        }}
        onClick={() => {
          if (!wasOpen.current) open();
          wasOpen.current = false;
        }}
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
        aria-label={name ?? (typeof label === 'string' ? label : undefined)}
        onKeyDown={moveFocus}
      >
        {head !== undefined && <div className="menu-head">{head}</div>}
        {groups.map(({ label: groupLabel, items }, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className="menu-group" role="group" aria-label={groupLabel}>
            {groupLabel !== undefined && <div className="menu-label">{groupLabel}</div>}
            {items.map((item) => (
              <Entry
                key={item.value}
                {...item}
                onChoose={() => {
                  close();
                  onChoose(item.value);
                }}
              />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

function Entry({
  label,
  icon,
  hint,
  isChosen,
  onChoose,
}: MenuItem & { readonly onChoose: () => void }) {
  return (
    <button
      type="button"
      role={isChosen === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={isChosen}
      tabIndex={-1}
      onClick={onChoose}
    >
      {isChosen !== undefined && (
        <span className="menu-check">{isChosen && <Icon name="check" />}</span>
      )}
      {icon !== undefined && <Icon name={icon} />}
      <span className="cut grow" dir="auto">
        {label}
      </span>
      {hint !== undefined && (
        <span className="menu-hint" aria-hidden="true">
          {hint}
        </span>
      )}
    </button>
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
