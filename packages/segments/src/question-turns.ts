export type TurnOptions = {
  /** Questions at a time in this process. */
  readonly places: number;
  readonly placesOfApplication: number;
  readonly waitersMax: number;
  readonly waitersOfApplicationMax: number;
  /** A question that waits longer is not asked: its caller has given up. */
  readonly waitMs: number;
};

/** Runs work of applications, some at a time. */
export type Turns = {
  /** `busy`: too many wait, or this one waited too long. */
  take<T>(applicationId: string, work: () => Promise<T>): Promise<T | 'busy'>;
};

type Waiter = { readonly applicationId: string; readonly begin: () => void };

/**
 * Applications take turns: a place goes to the application with the fewest, and rather not to the
 * one that has just left it.
 */
export function createTurns({
  places,
  placesOfApplication,
  waitersMax,
  waitersOfApplicationMax,
  waitMs,
}: TurnOptions): Turns {
  /** Places taken, by application. */
  const taken = new Map<string, number>();
  let running = 0;
  const waiting: Waiter[] = [];

  const takenBy = (applicationId: string): number => taken.get(applicationId) ?? 0;
  const mayBegin = (applicationId: string): boolean =>
    running < places && takenBy(applicationId) < placesOfApplication;
  const count = (applicationId: string, change: 1 | -1): void => {
    running += change;
    const own = takenBy(applicationId) + change;
    if (own === 0) taken.delete(applicationId);
    else taken.set(applicationId, own);
  };

  async function enter(applicationId: string): Promise<boolean> {
    if (mayBegin(applicationId)) {
      count(applicationId, 1);
      return true;
    }
    const own = waiting.filter((waiter) => waiter.applicationId === applicationId);
    if (waiting.length >= waitersMax || own.length >= waitersOfApplicationMax) return false;
    return new Promise<boolean>((resolve) => {
      const waiter: Waiter = {
        applicationId,
        begin: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        resolve(false);
      }, waitMs);
      waiting.push(waiter);
    });
  }

  function leave(applicationId: string): void {
    count(applicationId, -1);
    const rank = (waiter: Waiter): number =>
      takenBy(waiter.applicationId) + (waiter.applicationId === applicationId ? 0.5 : 0);
    const [next] = waiting
      .filter((waiter) => mayBegin(waiter.applicationId))
      .toSorted((a, b) => rank(a) - rank(b));
    if (next === undefined) return;
    waiting.splice(waiting.indexOf(next), 1);
    count(next.applicationId, 1);
    next.begin();
  }

  return {
    async take(applicationId, work) {
      if (!(await enter(applicationId))) return 'busy';
      try {
        return await work();
      } finally {
        leave(applicationId);
      }
    },
  };
}
