import { parseNetwork, plainAddress } from '@tidings/platform';

/**
 * Normalizes an address or network: lower case, shortest form, IPv4 for mapped addresses, no host
 * bits, no prefix for a single address. Null for invalid text.
 */
export function normalNetwork(text: string): string | null {
  const network = parseNetwork(text);
  if (network === null) return null;
  const { address, prefix, family } = network;
  const bits = family === 'ipv4' ? 32 : 128;
  const host = BigInt(bits - prefix);
  const cleared = (toBits(address, family) >> host) << host;
  const written = plainAddress(
    family === 'ipv4'
      ? dotted(cleared)
      : groups(cleared)
          .map((group) => group.toString(16))
          .join(':'),
  );
  // A network shorter than the mapped prefix contains other addresses too, so it stays IPv6.
  const spelled =
    family === 'ipv6' && written?.includes('.') === true ? `::ffff:${written}` : written;
  return prefix === bits ? spelled : `${String(spelled)}/${prefix}`;
}

function toBits(address: string, family: 'ipv4' | 'ipv6'): bigint {
  if (family === 'ipv4')
    return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  // A dotted tail stands for the last two groups.
  const plain = address.replace(/\d+\.\d+\.\d+\.\d+$/, (tail) => {
    const bits = toBits(tail, 'ipv4');
    return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
  });
  const [head = [], tail] = plain
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const left = Array<string>(8 - head.length - (tail?.length ?? 0)).fill('0');
  return [...head, ...left, ...(tail ?? [])].reduce(
    (sum, group) => (sum << 16n) | BigInt(`0x${group}`),
    0n,
  );
}

const groups = (bits: bigint): number[] =>
  Array.from({ length: 8 }, (_, index) => Number((bits >> BigInt(112 - 16 * index)) & 0xffffn));
const dotted = (bits: bigint): string =>
  Array.from({ length: 4 }, (_, index) => Number((bits >> BigInt(24 - 8 * index)) & 0xffn)).join(
    '.',
  );
