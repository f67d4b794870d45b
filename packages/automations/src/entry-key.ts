import type { AutomationEntry } from '@tidings/contracts/automations/definition';
import { LIMITS } from '@tidings/contracts/limits';

/**
 * What tells apart the runs of a person: '' without `key`, else the value of that attribute as text.
 * Null: the event has no such value, or one that is too long.
 */
export function entryKeyOf(
  { key }: Pick<AutomationEntry, 'key'>,
  attributes: Readonly<Record<string, unknown>> | null,
): string | null {
  if (key === undefined) return '';
  let value: unknown = attributes;
  for (const step of [key].flat()) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    value = Object.hasOwn(value, step) ? (value as Readonly<Record<string, unknown>>)[step] : null;
  }
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return null;
  const text = String(value as string | number | bigint | boolean);
  return text === '' || text.length > LIMITS.automationKeyCharsMax ? null : text;
}
