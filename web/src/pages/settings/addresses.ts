/** An IP address as a number of 32 or 128 bits; null if the text is not an IP address. */
function readAddress(text: string): { readonly bits: 32 | 128; readonly value: bigint } | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  if (mapped !== undefined) return readAddress(mapped);
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) {
    const parts = text.split('.').map(Number);
    if (parts.some((part) => part > 255)) return null;
    return { bits: 32, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
  }
  return readIpv6(text);
}

function readIpv6(text: string): { readonly bits: 128; readonly value: bigint } | null {
  if (!/^[0-9a-f:]+$/i.test(text) || !text.includes(':')) return null;
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], tail = []] = groups;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const all = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (all.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return null;
  return { bits: 128, value: all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n) };
}

/** Whether a text is an IP address. */
export const isAddress = (text: string): boolean => readAddress(text.trim()) !== null;

/** Whether a text is an IP address or a network in CIDR notation. */
export function isEntry(text: string): boolean {
  const [address = '', prefix, ...more] = text.trim().split('/');
  const read = readAddress(address);
  if (read === null || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= read.bits);
}

/** Whether an entry of the allow-list contains the address. */
export function isInNetwork(address: string, entry: string): boolean {
  const [network = '', prefix] = entry.trim().split('/');
  const a = readAddress(address.trim());
  const b = readAddress(network);
  if (a === null || b === null || a.bits !== b.bits) return false;
  const shift = BigInt(a.bits - Number(prefix ?? a.bits));
  return a.value >> shift === b.value >> shift;
}

/** The entries of a text, separated by white space, commas or semicolons. */
export const readEntries = (text: string): readonly string[] =>
  text.split(/[\s,;]+/).filter((entry) => entry !== '');
