import type { Json } from './operation.ts';

/** Moves every schema with a title to `components.schemas` and replaces it with a reference. */
export function extractComponents(document: Json): {
  readonly document: Json;
  readonly schemas: Json;
} {
  const schemas: Json = {};
  const texts = new Map<string, string>();
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (!isObject(value)) return value;
    const copy = Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, isData(key, value) ? item : walk(item)]),
    );
    const { title } = copy;
    if (typeof title !== 'string' || !isSchema(copy)) return copy;
    const text = JSON.stringify(copy);
    if ((texts.get(title) ?? text) !== text)
      throw new Error(`two different schemas have the title ${title}`);
    texts.set(title, text);
    schemas[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  };
  return { document: walk(document) as Json, schemas };
}

/** Examples and enum values are data, not schemas. */
function isData(key: string, parent: Json): boolean {
  return (
    key === 'enum' ||
    key === 'const' ||
    (key === 'example' && 'schema' in parent) ||
    (key === 'examples' && 'schema' in parent)
  );
}

function isSchema(value: Json): boolean {
  return 'type' in value || 'oneOf' in value || 'anyOf' in value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
