import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/**
 * A panel at the end of the page, which stays usable beside it. F6 moves into it, Escape closes it;
 * then the focus is back where it was.
 */
export function SidePanel({
  title,
  head,
  foot,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  /** Below the title: figures and actions. */
  readonly head?: ReactNode;
  readonly foot?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'F6') {
        event.preventDefault();
        panel.current?.focus();
      }
      if (
        event.key === 'Escape' &&
        !event.defaultPrevented &&
        document.querySelector('dialog[open], :popover-open') === null
      )
        onClose();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onClose]);
  return (
    <aside ref={panel} className="side-panel" tabIndex={-1} aria-labelledby={id}>
      <header>
        <div className="row nowrap">
          <h2 id={id} className="grow">
            {title}
          </h2>
          <Button kind="plain" isSmall className="icon" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </Button>
        </div>
        {head}
      </header>
      <div className="side-panel-body">{children}</div>
      {foot !== undefined && foot !== false && <footer className="soft small">{foot}</footer>}
    </aside>
  );
}
