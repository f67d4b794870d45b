/**
 * Variants of the value with one change each: a field is missing, has another type, or is empty,
 * too long or too many.
 */
export function mutated(value: unknown): readonly unknown[] {
  const others = OTHERS.filter((other) => JSON.stringify(other) !== JSON.stringify(value));
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    return [
      ...others,
      ...items.flatMap((item, index) => mutated(item).map((other) => items.with(index, other))),
    ];
  }
  if (typeof value !== 'object' || value === null) return others;
  const fields = Object.entries(value);
  return [
    ...others,
    ...fields.map(([name]) => Object.fromEntries(fields.filter(([other]) => other !== name))),
    ...fields.flatMap(([name, item]) =>
      mutated(item).map((other) => ({ ...(value as object), [name]: other })),
    ),
  ];
}

const OTHERS: readonly unknown[] = [
  null,
  5,
  -1,
  0.5,
  true,
  '',
  'x',
  'x'.repeat(600),
  [],
  {},
  ['x'],
];
