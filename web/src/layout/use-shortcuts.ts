import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { OVERVIEW, PLACE_GROUPS } from './places.ts';
import { handleKey, onShortcut } from '../lib/shortcuts.ts';

/** The second key of a pair must follow within this time. */
const PAIR_MS = 1_500;

const PLACES = [OVERVIEW, ...PLACE_GROUPS.flatMap(({ places }) => places)];

/** The keys that act on every page: G and a letter opens a place, / goes to the search of the page. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let pairedUntil = 0;
    const forget = onShortcut((key) => {
      const isPair = performance.now() < pairedUntil;
      pairedUntil = key === 'g' && !isPair ? performance.now() + PAIR_MS : 0;
      if (isPair) {
        const place = PLACES.find((each) => each.key === key);
        if (place !== undefined) void navigate({ to: place.to });
        return true;
      }
      if (key !== '/') return key === 'g';
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
