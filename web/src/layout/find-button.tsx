import { lazy, Suspense, useEffect, useState } from 'react';
import { isApple } from '../lib/is-apple.ts';
import { Icon } from '../ui/icon.tsx';

const load = () => import('./command/command-menu.tsx');
const CommandMenu = lazy(async () => ({ default: (await load()).CommandMenu }));

/** After the first page: what is typed right after ⌘K must find it open. */
const LOADED_AFTER_MS = 1_000;

/** Opens the command menu, as ⌘K or Ctrl K does. */
export function FindButton({ onOpen }: { readonly onOpen: () => void }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => void load(), LOADED_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  return (
    <>
      <button
        type="button"
        className="button find"
        aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
        onClick={() => {
          onOpen();
          setOpen(true);
        }}
      >
        <Icon name="search" />
        <span className="grow">Search</span>
        <kbd aria-hidden="true">{isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && (
        <Suspense>
          <CommandMenu onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
