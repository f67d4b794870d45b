import { toLocalText } from '../../lib/local-time.ts';

const HOUR_MS = 3_600_000;

/** When a message is sent. `time` has no zone: of this browser, or of each recipient. */
export type SendTime = { readonly when: 'now' | 'at' | 'local'; readonly time: string };

/** The time as the API takes it. */
export function toSchedule({ when, time }: SendTime): Readonly<Record<string, unknown>> {
  if (when === 'now') return {};
  return when === 'local' ? { sendAtLocal: time } : { sendAt: new Date(time).getTime() };
}

type UsualTime = { readonly label: string; readonly time: string };

/** Times that are often chosen. An hour from now is an instant, and none of each recipient. */
export function usualTimes(when: 'at' | 'local', now: Date): readonly UsualTime[] {
  const morningIn = (days: number): string =>
    toLocalText(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9).getTime());
  const daysToMonday = (8 - now.getDay()) % 7 || 7;
  return [
    ...(when === 'at' ? [{ label: 'In an hour', time: toLocalText(now.getTime() + HOUR_MS) }] : []),
    { label: 'Tomorrow 9:00', time: morningIn(1) },
    ...(daysToMonday > 1 ? [{ label: 'Monday 9:00', time: morningIn(daysToMonday) }] : []),
  ];
}
