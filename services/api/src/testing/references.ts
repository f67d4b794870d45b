export type Json = Record<string, unknown>;

/** The document with all references resolved. */
export function resolveReferences(document: Json): Json {
  const resolved = new Map<string, unknown>();
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, discriminator } = value as {
      readonly $ref?: unknown;
      readonly discriminator?: { readonly propertyName: string };
    };
    // The mapping is not needed: its targets are inlined, and the validator distinguishes
    // alternatives by their values.
    if (discriminator !== undefined && 'mapping' in discriminator)
      return resolve({ ...value, discriminator: { propertyName: discriminator.propertyName } });
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]));
    if (!resolved.has($ref)) resolved.set($ref, resolve(lookUp(document, $ref)));
    return resolved.get($ref);
  };
  return resolve(document) as Json;
}

function lookUp(document: Json, reference: string): unknown {
  const found = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
  if (!reference.startsWith('#/') || found === undefined)
    throw new Error(`unresolved reference ${reference}`);
  return found;
}
