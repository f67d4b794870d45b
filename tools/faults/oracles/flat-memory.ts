const MIB = 1024 * 1024;

/** Memory of a process at a time; `liveHeapBytes` after a forced collection. */
export type MemorySample = { readonly residentBytes: number; readonly liveHeapBytes?: number };

/** Maximum of each half, in bytes. */
export type Halves = { readonly first: number; readonly second: number };
export type MemoryHalves = { readonly resident: Halves; readonly liveHeap: Halves };

/**
 * Allowed growth from the first to the second half: allocator and cache effects; a leak exceeds it.
 */
const GROWTH_BYTES_MAX = { resident: 48 * MIB, liveHeap: 16 * MIB } as const;
/** Minimum heap samples per half. */
const HEAPS_MIN = 2;

/** Maximum of each half of the work; undefined with too few samples. */
export function compareHalves(samples: readonly MemorySample[]): MemoryHalves | undefined {
  const resident = samples.map(({ residentBytes }) => residentBytes);
  const liveHeap = samples.flatMap(({ liveHeapBytes }) => liveHeapBytes ?? []);
  return liveHeap.length < 2 * HEAPS_MIN
    ? undefined
    : { resident: mostOfHalves(resident), liveHeap: mostOfHalves(liveHeap) };
}

function mostOfHalves(values: readonly number[]): Halves {
  const middle = Math.ceil(values.length / 2);
  return { first: Math.max(...values.slice(0, middle)), second: Math.max(...values.slice(middle)) };
}

/** Healthy: memory does not grow with the amount of completed work. */
export function checkFlat(name: string, { resident, liveHeap }: MemoryHalves): readonly string[] {
  const grown = (what: string, { first, second }: Halves, most: number): string[] =>
    second - first <= most
      ? []
      : [
          `${name}: its ${what} grew from ${mebibytes(first)} MiB in the first half to ${mebibytes(second)} in the second`,
        ];
  return [
    ...grown('resident memory', resident, GROWTH_BYTES_MAX.resident),
    ...grown('live heap', liveHeap, GROWTH_BYTES_MAX.liveHeap),
  ];
}

export const mebibytes = (bytes: number): number => Math.round(bytes / MIB);
