const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/;

/**
 * Reads a typed or pasted UUID and returns it in canonical form. Capitals, spaces, quotes, braces, missing hyphens and a
 * surrounding URL are accepted. Null if the text contains no UUID.
 */
export function readUuid(text: string): string | null {
  const plain = text.toLowerCase();
  // Try the unchanged text first: without spaces, a preceding word could become part of the UUID.
  const found = UUID.exec(plain)?.[0] ?? UUID.exec(plain.replaceAll(/[\s​]+/g, ''))?.[0];
  const hex = found?.replaceAll('-', '');
  if (hex === undefined) return null;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/** A short form to tell ids apart: the last 8 characters, since ids created at the same time begin alike. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}

/** A random id of 32 hex digits. `crypto.randomUUID` does not exist on pages that were loaded over plain HTTP. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
