import type {
  DATE_FIELDS,
  DateTrigger,
  PersonDate,
  ScheduleTrigger,
  UntilNode,
  Weekday,
} from '@tidings/contracts/automations/calendar';
import { durationText } from '../conditions/duration.ts';
import { pathText } from '../conditions/path-text.ts';
import { isolate } from '../lib/text.ts';
import { readCron } from './cron.ts';

export const WEEKDAY_LABELS: Readonly<Record<Weekday, string>> = {
  sun: 'Sunday',
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
};
const DAY_NAMES = Object.values(WEEKDAY_LABELS);
export const DATE_LABELS: Readonly<Record<(typeof DATE_FIELDS)[number], string>> = {
  birthday: 'the birthday',
  registeredAt: 'the registration',
};

const dateName = (date: PersonDate): string =>
  date.field === undefined ? `“${isolate(pathText(date.attribute))}”` : DATE_LABELS[date.field];

/** `3 days before “expiresOn” at 09:00`. */
function dateText(
  date: PersonDate,
  { offset, time }: { readonly offset?: string; readonly time?: string },
): string {
  const name = dateName(date);
  const shifted =
    offset === undefined
      ? name
      : `${durationText(offset.replace('-', ''))} ${offset.startsWith('-') ? 'before' : 'after'} ${name}`;
  return time === undefined ? shifted : `${shifted} at ${time}`;
}

/** `09:00 on Monday, Friday`, `3 days before “expiresOn” at 09:00`. */
export function untilText(until: UntilNode['until']): string {
  if ('attribute' in until || 'field' in until) return dateText(until, until);
  const { time, days } = until;
  return days === undefined
    ? time
    : `${time} on ${days.map((day) => WEEKDAY_LABELS[day]).join(', ')}`;
}

/** `Every Monday at 09:00`. */
export function scheduleText({ schedule: { cron } }: ScheduleTrigger): string {
  const simple = readCron(cron);
  if (simple === null) return `By the clock: ${cron}`;
  switch (simple.every) {
    case 'day':
      return `Every day at ${simple.time}`;
    case 'week':
      return `Every ${simple.days.map((day) => DAY_NAMES[day]).join(', ')} at ${simple.time}`;
    case 'month':
      return `On day ${simple.day} of each month at ${simple.time}`;
  }
}

/** `3 days before “expiresOn” at 09:00, each year`. */
export const dateTriggerText = ({ date, offset, at, yearly }: DateTrigger): string => {
  // The midnight before it, as soon as it is known.
  if (date.field === 'registeredAt' && at === '00:00' && offset === undefined)
    return 'The person registers';
  const text = dateText(date, { time: at, ...(offset !== undefined && { offset }) });
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${yearly === true ? ', each year' : ''}`;
};
