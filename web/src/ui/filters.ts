import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type Filters<Name extends string> = {
  readonly values: Readonly<Partial<Record<Name, string>>>;
  readonly get: (name: Name) => string;
  /** An empty value takes the filter out of the address. */
  readonly set: (name: Name, value: string) => void;
  /** What wires the field of a filter. */
  readonly field: (name: Name) => {
    readonly value: string;
    readonly onChange: (value: string) => void;
  };
  readonly clear: () => void;
  readonly isAny: boolean;
};

/** Filters that stand in the address, so that what is shown can be shared and gone back to. */
export function useFilters<Name extends string>(names: readonly Name[]): Filters<Name> {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>;
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Readonly<Record<string, string>>) => {
      const next = (before: Readonly<Record<string, unknown>>) =>
        Object.fromEntries(
          Object.entries({ ...before, ...changes }).filter(([, value]) => value !== ''),
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
    field: (name) => ({ value: get(name), onChange: (value) => set(name, value) }),
    clear: () => change(Object.fromEntries(names.map((name) => [name, '']))),
    isAny: Object.keys(values).length > 0,
  };
}
