import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { PLACES } from './places.ts';
import { handleKey, onShortcut } from '../lib/shortcuts.ts';

/** The keys that act on every page: G and a letter opens a place, / goes to the search of the page. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const forget = onShortcut((key) => {
      if (key === 'g')
        return (next) => {
          const place = PLACES.find((each) => each.key === next);
          if (place !== undefined) void navigate({ to: place.to });
        };
      if (key !== '/') return false;
      const search = document.querySelector<HTMLElement>('[data-page-search]');
      search?.focus();
      return search !== null;
    });
    addEventListener('keydown', handleKey);
    return () => {
      removeEventListener('keydown', handleKey);
      forget();
    };
  }, [navigate]);
}
