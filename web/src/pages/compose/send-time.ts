/** When a message is sent. `time` has no zone: of this browser, or of each recipient. */
export type SendTime = { readonly when: 'now' | 'at' | 'local'; readonly time: string };

const MINUTE_MS = 60_000;

/** An instant as the value of an input, in the time zone of this browser. */
export function toInputTime(at: number): string {
  const local = at - new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(local).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** The time as the API takes it. */
export function toSchedule({ when, time }: SendTime): Readonly<Record<string, unknown>> {
  if (when === 'now') return {};
  return when === 'local' ? { sendAtLocal: time } : { sendAt: new Date(time).getTime() };
}
