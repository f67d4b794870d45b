/** Sets a value below an object whose children are shared: those on the way are copied. */
export function replaceIn(
  object: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    object[key] = value;
    return;
  }
  const child = object[key];
  const copy = (
    Array.isArray(child) ? [...(child as unknown[])] : { ...(child as object) }
  ) as Record<string, unknown>;
  object[key] = copy;
  replaceIn(copy, rest, value);
}
