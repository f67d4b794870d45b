import type { JsonValue } from './comparisons.ts';
import type { StatementParts } from './statement-parts.ts';

/** The value, unless a Client key set it without a proof. */
export function ifProved(
  parts: StatementParts,
  { json, text }: JsonValue,
  { of, key }: { readonly of: 'fields' | 'custom'; readonly key: string },
): JsonValue {
  const stamp = `u.clocks -> '${of}' -> ${parts.parameters.add(key, 'text')}`;
  const only = (value: string) =>
    `(case when (${stamp} ->> 2) is distinct from 'client' then ${value} end)`;
  return { json: only(json), text: only(text) };
}

/** The evidence of a leaf about a value of the profile: the value, if there is one. */
export const valueEvidence = ({ json }: JsonValue): string =>
  `case when ${json} is not null then jsonb_build_object('value', ${json}) end`;
