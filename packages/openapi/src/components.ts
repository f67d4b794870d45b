import type { Json } from './operation.ts';

/** Every schema with a title, moved under `components` and referred to from wherever it stood. */
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
    if ((texts.get(title) ?? text) !== text) throw new Error(`two schemas are called ${title}`);
    texts.set(title, text);
    schemas[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  };
  return { document: walk(document) as Json, schemas };
}

/** Examples, and the values of a closed list, are no schemas, whatever is in them. */
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
