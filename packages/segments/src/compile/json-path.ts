import type { AttributePath } from '@tidings/contracts/segments/leaves/parts';
import type { JsonValue } from './comparisons.ts';
import type { StatementParts } from './statement-parts.ts';

/**
 * SQL: the value below an object. Steps name keys of objects: an item of an array has no name, so
 * `#>` does not fit.
 */
export function jsonPath(parts: StatementParts, object: string, path: AttributePath): JsonValue {
  const keys = [path].flat().map((key) => parts.parameters.add(key, 'text'));
  const last = keys.at(-1) ?? '';
  const parent = keys.slice(0, -1).reduce((value, key) => `(${value} -> ${key})`, object);
  return { json: `(${parent} -> ${last})`, text: `(${parent} ->> ${last})` };
}
