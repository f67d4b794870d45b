import { useKept } from '../ui/filters.ts';

/** What the address of an automation says of its rehearsal. */
export const REHEARSED = ['rehearsal', 'days'] as const;

/** Stays in the address while the draft is changed elsewhere on its page, and is rehearsed again. */
export const useRehearsed = () => useKept(REHEARSED);
