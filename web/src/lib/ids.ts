const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/;

/**
 * The id that somebody has typed or pasted, as the interface writes it: capitals, spaces, quotes, braces, missing hyphens
 * and the rest of an address around it do no harm. Null where there is none.
 */
export function readUuid(text: string): string | null {
  const plain = text.toLowerCase();
  // As it stands first: without its spaces, what is before an id could be read as a part of it.
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

/** Enough of an id to tell it from its neighbours: the end, since ids of one moment begin alike. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}

/** An id that nobody else has; also where the page came over plain http, which has no `crypto.randomUUID`. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
