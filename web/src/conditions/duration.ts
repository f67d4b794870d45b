/** Units of a duration, and what a reader calls them. */
export const UNITS = [
  { value: 'm', label: 'minutes' },
  { value: 'h', label: 'hours' },
  { value: 'd', label: 'days' },
  { value: 'w', label: 'weeks' },
] as const;

/** The number and the unit of `30d`. */
export function splitDuration(duration: string): { readonly count: string; readonly unit: string } {
  const [, count = '', unit = 'd'] = /^(\d*)([mhdw])$/.exec(duration) ?? [];
  return { count, unit };
}

/** `30 days`, `1 day`. */
export function durationText(duration: string): string {
  const { count, unit } = splitDuration(duration);
  const label = UNITS.find(({ value }) => value === unit)?.label ?? unit;
  return `${count} ${count === '1' ? label.slice(0, -1) : label}`;
}
