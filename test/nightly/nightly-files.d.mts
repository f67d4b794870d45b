export type PlannedPart = { readonly part: string; readonly patterns: readonly string[] };
export function hasNightlyRows(): boolean;
export function isNightly(source: string): boolean;
export function listByRun(): {
  readonly usual: readonly string[];
  readonly nightly: readonly string[];
};
export function leaveToNightly(plan: readonly PlannedPart[]): readonly PlannedPart[];
