const SEQUENCE_DIGITS = 12;
const INDEX_DIGITS = 4;
/** Odd, so that different numbers stay different modulo 2³². */
const SCATTER = 0x9e3779b1;

/** A number for each sequence number below 2³²; neighbours are far apart. */
export function scatter(sequence: number): number {
  return Math.imul(sequence, SCATTER) >>> 0;
}

/** The id of a message of a request: unique per prefix, and at a random place of an index. */
export function scatteredId(
  prefix: string,
  { sequence, index }: { readonly sequence: number; readonly index: number },
): string {
  return scatteredText(prefix, {
    scattered: String(scatter(sequence)).padStart(SEQUENCE_DIGITS, '0'),
    index,
  });
}

/** The same with the scattered number as text, for a template. */
export function scatteredText(
  prefix: string,
  { scattered, index }: { readonly scattered: string; readonly index: number },
): string {
  return `${String(index).padStart(INDEX_DIGITS, '0')}-${scattered}-${prefix}`;
}
