/** When a message is sent. `time` has no zone: of this browser, or of each recipient. */
export type SendTime = { readonly when: 'now' | 'at' | 'local'; readonly time: string };

/** The time as the API takes it. */
export function toSchedule({ when, time }: SendTime): Readonly<Record<string, unknown>> {
  if (when === 'now') return {};
  return when === 'local' ? { sendAtLocal: time } : { sendAt: new Date(time).getTime() };
}
