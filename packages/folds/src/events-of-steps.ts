/**
 * The events of one instant for the steps after `level`, in their order: a different one for each,
 * for as many steps as there are events.
 * @param masks of each event the steps that it matches
 * @returns places in `masks`
 */
export function eventsOfSteps(masks: readonly number[], level: number, steps: number): number[] {
  const stepOf = new Int8Array(masks.length).fill(-1);
  const placeOf: number[] = [];
  for (let step = level; step < steps; step += 1)
    if (!findsEvent(step, new Uint8Array(masks.length))) break;
  return placeOf.slice(level);

  /** Whether a step gets an event; those that have one may take another in its place. */
  function findsEvent(step: number, isTried: Uint8Array): boolean {
    for (const [place, mask] of masks.entries()) {
      if ((mask & (1 << step)) === 0 || isTried[place] === 1) continue;
      isTried[place] = 1;
      const other = stepOf[place] as number;
      if (other >= 0 && !findsEvent(other, isTried)) continue;
      stepOf[place] = step;
      placeOf[step] = place;
      return true;
    }
    return false;
  }
}
