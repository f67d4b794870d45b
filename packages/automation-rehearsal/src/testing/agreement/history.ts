/** What a person did. Times are in milliseconds. */
export type Deed = {
  readonly messageId: string;
  readonly name: 'cartd' | 'order' | 'view';
  readonly time: number;
  readonly receivedAt: number;
  readonly isProved: boolean;
  readonly attributes: { readonly price: number; readonly item?: string };
};

/** What is known of a person. */
export type Profile = {
  readonly plan: 'free' | 'pro';
  /** An attribute that is a date; null: they have none. */
  readonly endsOn: number | null;
  /** They take no marketing mails. */
  readonly isUnsubscribed: boolean;
};

/** Someone, with what is known of them from their registration on. */
export type Person = {
  readonly customUserId: string;
  /** The id that Tidings gave them; splits draw by it. */
  userId: string;
  readonly registeredAt: number;
  readonly email: string | null;
  readonly timeZone: string | null;
  /** From the registration on, and after each change. */
  readonly profiles: readonly (Profile & { readonly from: number })[];
  /** In the order in which they were received. */
  readonly deeds: readonly Deed[];
};

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const STEP_MS = 30 * MINUTE_MS;

export type Random = () => number;
export const pick = <T>(random: Random, items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('nothing to pick');
  return item;
};

/** What is known of a person at an instant. */
export function profileAt({ profiles }: Person, at: number): Profile {
  const [first] = profiles;
  if (first === undefined) throw new TypeError('someone without a profile');
  return profiles.findLast(({ from }) => from <= at) ?? first;
}

/**
 * People who do things within some days. All instants are on a grid, so that events and the ends of
 * waits meet. Some events are late, some are not proved, and some people register after them.
 * Profiles change, if they may.
 */
export function createHistory(
  random: Random,
  {
    from,
    hours,
    people,
    mayChange = false,
  }: {
    readonly from: number;
    readonly hours: number;
    readonly people: number;
    readonly mayChange?: boolean;
  },
): Person[] {
  const steps = (hours * HOUR_MS) / STEP_MS;
  const some = (): number => from + Math.floor(random() * steps) * STEP_MS;
  return Array.from({ length: people }, (_each, index): Person => {
    const count = 4 + Math.floor(random() * 14);
    const deeds = Array.from({ length: count }, (_deed, no): Deed => {
      const name = pick(random, ['cartd', 'cartd', 'order', 'view'] as const);
      const time = some();
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
    const registeredAt =
      random() < 0.8 ? from - HOUR_MS : from + Math.floor(random() * (steps / 2)) * STEP_MS;
    const changes = mayChange ? Math.floor(random() * 4) : 0;
    return {
      customUserId: `p${index}`,
      userId: '',
      registeredAt,
      email: random() < 0.7 ? `p${index}@example.org` : null,
      timeZone: pick(random, [null, 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata']),
      profiles: createProfiles(random, {
        from,
        hours,
        instants: [registeredAt, ...Array.from({ length: changes }, some)].toSorted(
          (one, other) => one - other,
        ),
        registeredAt,
      }),
      deeds: deeds.toSorted((one, other) => one.receivedAt - other.receivedAt),
    };
  });
}

function createProfiles(
  random: Random,
  {
    from,
    hours,
    instants,
    registeredAt,
  }: {
    readonly from: number;
    readonly hours: number;
    readonly instants: readonly number[];
    readonly registeredAt: number;
  },
): Person['profiles'] {
  let isUnsubscribed = random() < 0.15;
  return [...new Set(instants)]
    .filter((at) => at >= registeredAt)
    .map((at, index) => {
      // An address that takes no marketing is one for good.
      isUnsubscribed ||= index > 0 && random() < 0.2;
      const day = 24 * HOUR_MS;
      const date = from + Math.floor(random() * hours) * HOUR_MS;
      return {
        from: at,
        plan: pick(random, ['free', 'pro'] as const),
        // A day, or an instant.
        endsOn: pick(random, [null, date, Math.floor(date / day) * day]),
        isUnsubscribed,
      };
    });
}
