import {
  DEFAULT_TIME_ZONE,
  TIME_ZONE_ATTRIBUTE,
  type AttributeCondition,
  type AttributePath,
  type FieldCondition,
} from '@tidings/contracts';
import { compileComparison, type JsonValue } from './comparisons.ts';
import { join, type CompiledLeaf, type StatementParts } from './statement-parts.ts';

/** A profile field. */
export function compileField(parts: StatementParts, node: FieldCondition): CompiledLeaf {
  const value = fieldValue(parts, node);
  const dates = ['birthday', 'registeredAt'].includes(node.field) ? 'milliseconds' : 'text';
  return {
    truth: compileComparison(parts, value, { ...node, dates }),
    evidence: evidence(value.json),
  };
}

/** A custom attribute. */
export function compileAttribute(parts: StatementParts, node: AttributeCondition): CompiledLeaf {
  const [key = ''] = [node.attribute].flat();
  const path = jsonPath(parts, 'u.custom_attributes', node.attribute);
  const value = node.proved === true ? ifProved(parts, path, { of: 'custom', key }) : path;
  return {
    truth: compileComparison(parts, value, { ...node, dates: 'text' }),
    evidence: evidence(value.json),
  };
}

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

const asValue = (json: string): JsonValue => ({ json, text: `(${json} #>> '{}')` });

function fieldValue(parts: StatementParts, { field, proved }: FieldCondition): JsonValue {
  if (field === 'registeredAt')
    return asValue(`to_jsonb(floor(extract(epoch from u.registered_at) * 1000)::bigint)`);
  if (field === 'timeZone') return asValue(timeZone(parts));
  const value = jsonPath(parts, 'u.fields', field);
  return proved === true ? ifProved(parts, value, { of: 'fields', key: field }) : value;
}

/** The value, unless a Client key set it without a proof. */
function ifProved(
  parts: StatementParts,
  { json, text }: JsonValue,
  { of, key }: { readonly of: 'fields' | 'custom'; readonly key: string },
): JsonValue {
  const stamp = `u.clocks -> '${of}' -> ${parts.parameters.add(key, 'text')}`;
  const only = (value: string) =>
    `(case when (${stamp} ->> 2) is distinct from 'client' then ${value} end)`;
  return { json: only(json), text: only(text) };
}

/** The attribute, else the zone of the device that was seen last, else that of the application. */
function timeZone(parts: StatementParts): string {
  const { json: attribute } = jsonPath(parts, 'u.custom_attributes', TIME_ZONE_ATTRIBUTE);
  const proof = 'w.time_zone is not null and w.user_id_at_proof = w.user_id';
  const device = join(
    parts,
    parts.shape === 'all'
      ? `select distinct on (w.proved_user_id) w.proved_user_id as user_id, w.time_zone from devices w
         where w.application_id = ${parts.application} and w.proved_user_id is not null and ${proof}
         order by w.proved_user_id, w.seen_at desc, w.device_id`
      : `select w.time_zone from devices w where w.proved_user_id = u.id and ${proof}
         order by w.seen_at desc, w.device_id limit 1`,
  );
  const own = `case when jsonb_typeof(${attribute}) = 'string' then ${attribute} #>> '{}' end`;
  const ofApplication = `(select a.settings ->> 'timeZone' from applications a where a.id = ${parts.application})`;
  return `to_jsonb(coalesce(${own}, ${device}.time_zone, ${ofApplication}, '${DEFAULT_TIME_ZONE}'))`;
}

const evidence = (value: string): string =>
  `case when ${value} is not null then jsonb_build_object('value', ${value}) end`;
