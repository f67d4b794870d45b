/** The value on a way of keys; undefined if there is none. */
export const readAt = (root: unknown, way: readonly string[]): unknown =>
  way.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, unknown>>)[key]
        : undefined,
    root,
  );

/** The object with another value on a way of keys. */
export function writeAt<Node extends object>(
  node: Node,
  [key, ...further]: readonly [string, ...string[]],
  value: unknown,
): Node {
  const [next, ...rest] = further;
  if (next === undefined) return { ...node, [key]: value };
  const inner = readAt(node, [key]);
  const object = typeof inner === 'object' && inner !== null ? inner : {};
  return { ...node, [key]: writeAt(object, [next, ...rest], value) };
}
