const SHOWN = 3;

/** One sentence with examples; none if nothing was found. */
export function listFound<T>(
  found: readonly T[],
  what: string,
  name: (one: T) => string = String,
): readonly string[] {
  return found.length === 0
    ? []
    : [`${found.length} ${what}: ${found.slice(0, SHOWN).map(name).join(', ')}`];
}
