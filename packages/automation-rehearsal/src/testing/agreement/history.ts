/** What a person did. Times are in milliseconds. */
export type Deed = {
  readonly messageId: string;
  readonly name: 'cartd' | 'order' | 'view';
  readonly time: number;
  readonly receivedAt: number;
  readonly isProved: boolean;
  readonly attributes: { readonly price: number; readonly item?: string };
};

/** Someone, with what is known of them from their registration on. */
export type Person = {
  readonly customUserId: string;
  /** The id that Tidings gave them; splits draw by it. */
  userId: string;
  readonly registeredAt: number;
  readonly email: string | null;
  readonly plan: 'free' | 'pro';
  /** In the order in which they were received. */
  readonly deeds: readonly Deed[];
};

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const STEP_MS = 30 * MINUTE_MS;

export type Random = () => number;
export const pick = <T>(random: Random, items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('nothing to pick');
  return item;
};

/**
 * People who do things within some days. All instants are on a grid, so that events and the ends of
 * waits meet. Some events are late, some are not proved, and some people register after them.
 */
export function createHistory(
  random: Random,
  {
    from,
    hours,
    people,
  }: { readonly from: number; readonly hours: number; readonly people: number },
): Person[] {
  const steps = (hours * HOUR_MS) / STEP_MS;
  return Array.from({ length: people }, (_each, index): Person => {
    const count = 4 + Math.floor(random() * 14);
    const deeds = Array.from({ length: count }, (_deed, no): Deed => {
      const name = pick(random, ['cartd', 'cartd', 'order', 'view'] as const);
      const time = from + Math.floor(random() * steps) * STEP_MS;
      // Conditions count views by their time, before they are received too.
      const late = name === 'view' ? 0 : pick(random, [0, 0, 0, 0, 1, 2, 4]);
      return {
        messageId: `${index}-${no}`,
        name,
        time,
        receivedAt: time + late * STEP_MS,
        isProved: random() < 0.85,
        attributes: {
          price: Math.floor(random() * 5) * 10,
          ...(random() < 0.9 && { item: pick(random, ['pen', 'cup']) }),
        },
      };
    });
    return {
      customUserId: `p${index}`,
      userId: '',
      registeredAt:
        random() < 0.8 ? from - HOUR_MS : from + Math.floor(random() * (steps / 2)) * STEP_MS,
      email: random() < 0.7 ? `p${index}@example.org` : null,
      plan: pick(random, ['free', 'pro'] as const),
      deeds: deeds.toSorted((one, other) => one.receivedAt - other.receivedAt),
    };
  });
}
