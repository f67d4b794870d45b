/** Of a normal distribution, for 95 %, two-sided. */
const Z = 1.959963984540054;

/** Wilson's 95 % interval of a share: `hits` of `of` people, of whom there is at least one. */
export function wilsonInterval({ hits, of }: { readonly hits: number; readonly of: number }): {
  readonly low: number;
  readonly high: number;
} {
  const share = hits / of;
  const scale = 1 + Z ** 2 / of;
  const middle = (share + Z ** 2 / (2 * of)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  return { low: middle - half, high: middle + half };
}
