import { useState } from 'react';

/** The values of a form by name. `field` returns the properties of a field. */
export function useFields<Name extends string>(
  initial: Readonly<Record<Name, string>>,
  toPointer = (name: Name): string => `/${name}`,
) {
  const [values, setValues] = useState(initial);
  const field = (name: Name) => ({
    pointer: toPointer(name),
    value: values[name],
    onChange: (value: string) => setValues((before) => ({ ...before, [name]: value })),
  });
  return { values, field };
}
