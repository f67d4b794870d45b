import type { EventPlace } from '@tidings/segments/person-events';

/** The place of something that is no event: before the events of its instant. */
export const placeAt = (ms: number): EventPlace => ({
  time: BigInt(Math.floor(ms)),
  receivedAt: ms,
  messageId: '',
});

/** The place of what is true now, whenever it became so: after all that came first. */
export const lastPlaceAt = (ms: number): EventPlace => ({ ...placeAt(ms), receivedAt: Infinity });

/** As Postgres orders events. @callers automation-rehearsal */
export function comparePlaces(one: EventPlace, other: EventPlace): number {
  if (one.time !== other.time) return one.time < other.time ? -1 : 1;
  if (one.receivedAt !== other.receivedAt) return one.receivedAt < other.receivedAt ? -1 : 1;
  return Buffer.compare(Buffer.from(one.messageId), Buffer.from(other.messageId));
}
