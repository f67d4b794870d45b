import type { StoredRun } from './stored-runs.ts';

/** Who should have entered, by person and key: no one else has a run, and each has one. */
export function checkEntered(
  runs: readonly Pick<StoredRun, 'customUserId' | 'key'>[],
  expected: readonly { readonly customUserId: string; readonly key: string }[],
): { readonly missing: readonly string[]; readonly wrong: readonly string[] } {
  const nameOf = (run: (typeof expected)[number]): string => `${run.customUserId} by ${run.key}`;
  const wanted = new Set(expected.map(nameOf));
  const found = Map.groupBy(runs, nameOf);
  return {
    missing: [...wanted].filter((name) => !found.has(name)),
    wrong: [...found].flatMap(([name, { length }]) => [
      ...(wanted.has(name) ? [] : [`${name} should not have entered`]),
      ...(length > 1 ? [`${name} entered ${length} times`] : []),
    ]),
  };
}
