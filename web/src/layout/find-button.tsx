import { lazy, Suspense, useEffect, useState } from 'react';
import { Icon } from '../ui/icon.tsx';

const CommandMenu = lazy(async () => ({
  default: (await import('./command/command-menu.tsx')).CommandMenu,
}));

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the command menu, as ⌘K or Ctrl K does. */
export function FindButton({ onOpen }: { readonly onOpen: () => void }) {
  const [isOpen, setOpen] = useState(false);
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
