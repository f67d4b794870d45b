import {
  useEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type ToggleEvent,
} from 'react';
import { placeBeside } from './place.ts';

/**
 * A button and what it opens: `popoverTarget` of the button is the id of the element with `popoverProps`. The
 * browser's popover stands above dialogs, closes by Escape or a press outside, and gives the focus back.
 */
export function usePopover() {
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const place = (): void => {
      if (button.current && popover.current) placeBeside(popover.current, button.current);
    };
    if (!isOpen || popover.current === null) return undefined;
    // It has its size when its content is loaded.
    const sizes = new ResizeObserver(place);
    sizes.observe(popover.current);
    addEventListener('scroll', place, true);
    addEventListener('resize', place);
    return () => {
      sizes.disconnect();
      removeEventListener('scroll', place, true);
      removeEventListener('resize', place);
    };
  }, [isOpen]);
  const close = (): void => popover.current?.hidePopover();
  return {
    button,
    isOpen,
    open: () => popover.current?.showPopover(),
    close,
    popoverProps: {
      ref: popover,
      popover: 'auto',
      onToggle: ({ newState }: ToggleEvent) => setOpen(newState === 'open'),
      onBlur: ({ relatedTarget, currentTarget }: FocusEvent) => {
        // Tab leaves it. Without a target the window has lost the focus, or it was pressed where nothing takes it.
        // A press on its button closes it by itself.
        if (relatedTarget === null || relatedTarget === button.current) return;
        if (!currentTarget.contains(relatedTarget)) close();
      },
      onKeyDown: (event: KeyboardEvent) => {
        // Keys are for what is open: Enter would submit the form around it.
        event.stopPropagation();
        if (event.key === 'Enter') event.preventDefault();
      },
    },
  } as const;
}
