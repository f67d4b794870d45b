import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type Filters<Name extends string> = {
  readonly values: Readonly<Partial<Record<Name, string>>>;
  readonly get: (name: Name) => string;
  /** An empty value removes the filter. */
  readonly set: (name: Name, value: string) => void;
  /** Several at once. */
  readonly change: (values: Readonly<Partial<Record<Name, string>>>) => void;
  /** The properties of the filter's input. */
  readonly field: (name: Name) => {
    readonly value: string;
    readonly onChange: (value: string) => void;
  };
  readonly clear: () => void;
  readonly isAny: boolean;
};

/** What the address has under these names, for a link that goes on with it. */
export function useKept(names: readonly string[]): Readonly<Record<string, string>> {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Filters in the URL, so that a filtered page can be shared and the back button works. */
export function useFilters<Name extends string>(names: readonly Name[]): Filters<Name> {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>;
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Readonly<Record<string, string | undefined>>) => {
      const next = (before: Readonly<Record<string, unknown>>) =>
        Object.fromEntries(
          Object.entries({ ...before, ...changes }).filter(
            ([, value]) => value !== '' && value !== undefined,
          ),
        );
      void navigate({ to: '.', search: next as never, replace: true, resetScroll: false });
    },
    [navigate],
  );
  const values = Object.fromEntries(
    names.flatMap((name) =>
      search[name] === undefined || search[name] === '' ? [] : [[name, search[name]]],
    ),
  ) as Partial<Record<Name, string>>;
  const get = (name: Name): string => values[name] ?? '';
  const set = (name: Name, value: string): void => change({ [name]: value });
  return {
    values,
    get,
    set,
    change,
    field: (name) => ({ value: get(name), onChange: (value) => set(name, value) }),
    clear: () => change(Object.fromEntries(names.map((name) => [name, '']))),
    isAny: Object.keys(values).length > 0,
  };
}
