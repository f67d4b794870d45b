const MIB = 1024 * 1024;

/** What one process had at some moment; the heap after a collection, where that was asked for. */
export type MemorySample = { readonly residentBytes: number; readonly liveHeapBytes?: number };

/** The most of each half, in bytes. */
export type Halves = { readonly first: number; readonly second: number };
export type MemoryHalves = { readonly resident: Halves; readonly liveHeap: Halves };

/** How much more the second half may have than the first: what the allocator and a cache that fills take; a leak takes more. */
export const GROWTH_BYTES_MAX = { resident: 48 * MIB, liveHeap: 16 * MIB } as const;
/** A half of fewer looks at the heap says nothing. */
const HEAPS_MIN = 2;

/** The most of each half of the work. Undefined when there were too few looks to tell a half from a moment. */
export function halvesOf(samples: readonly MemorySample[]): MemoryHalves | undefined {
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

/** Healthy: memory is the same whatever of the work is done. */
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
