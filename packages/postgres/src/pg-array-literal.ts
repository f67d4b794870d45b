/**
 * Formats an array literal for Postgres from values that need no quotes: uuids, numbers, booleans,
 * members of our own closed lists. The driver checks every element for escapes, which was a sixth
 * of a consumer's CPU time. Never use it for external text.
 */
export function pgArrayLiteral(
  values: readonly (string | number | bigint | boolean | null)[],
): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}
