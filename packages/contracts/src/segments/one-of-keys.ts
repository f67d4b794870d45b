/** The properties of an object whose kind one of its keys decides. */
export type KeyedShape = {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
};

/**
 * JSON Schema keywords of an object that has exactly one of these keys, and the shape that belongs
 * to it. A chain: the first of its keys decides, so that a fault is reported once.
 */
export function oneOfKeys(shapes: Readonly<Record<string, KeyedShape>>): object {
  return {
    oneOf: Object.keys(shapes).map((key) => ({ required: [key] })),
    ...chainOf(Object.entries(shapes)),
  };
}

function chainOf([first, ...others]: readonly (readonly [string, KeyedShape])[]): object {
  if (first === undefined) return {};
  const [key, shape] = first;
  return {
    if: { required: [key] },
    // Computed key: an object literal with `then` would look like a promise.
    ['then' as string]: { ...shape, additionalProperties: false },
    else: chainOf(others),
  };
}
