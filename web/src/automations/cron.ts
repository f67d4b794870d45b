/** A schedule that can be chosen without its five fields. Days of the week as in cron: 0 is Sunday. */
export type SimpleSchedule =
  | { readonly every: 'day'; readonly time: string }
  | { readonly every: 'week'; readonly time: string; readonly days: readonly number[] }
  | { readonly every: 'month'; readonly time: string; readonly day: number };

const NUMBER = /^\d{1,2}$/;
const DAYS = /^[0-6](,[0-6])*$/;
const pad = (part: string): string => part.padStart(2, '0');

/** Null: it says more than that. */
export function readCron(cron: string): SimpleSchedule | null {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...rest] = cron
    .trim()
    .split(/\s+/);
  if (rest.length > 0 || month !== '*' || !NUMBER.test(minute) || !NUMBER.test(hour)) return null;
  const time = `${pad(hour)}:${pad(minute)}`;
  if (day === '*' && weekday === '*') return { every: 'day', time };
  if (day === '*' && DAYS.test(weekday))
    return { every: 'week', time, days: weekday.split(',').map(Number) };
  if (NUMBER.test(day) && weekday === '*') return { every: 'month', time, day: Number(day) };
  return null;
}

export function writeCron(schedule: SimpleSchedule): string {
  const [hour, minute] = schedule.time.split(':').map(Number);
  const at = `${minute ?? 0} ${hour ?? 0}`;
  switch (schedule.every) {
    case 'day':
      return `${at} * * *`;
    case 'week':
      return `${at} * * ${schedule.days.toSorted((a, b) => a - b).join(',')}`;
    case 'month':
      return `${at} ${schedule.day} * *`;
  }
}
