/** What an application's p99 may be beside another whose receivers are slow. */
export type HandOverBound = {
  readonly msMax: number;
  /** The machine was so busy that the run shows nothing. */
  readonly isVoid: boolean;
};

export type MeasuredP99 = {
  readonly ms: number;
  readonly aloneMs: number;
  /** Of deliveries that have nothing to do with the slow receivers, meanwhile: what they are slower by is the machine's doing. */
  readonly controlMs: number;
  /** Differences of two runs alone. */
  readonly noiseMs: number;
};

const SLOWER_BY = 1.2;
/** However slow the control is, what takes longer than this part of the time alone is no success. */
const CONTROL_RAISES_TO = 2;

export function handOverBound({ ms, aloneMs, controlMs, noiseMs }: MeasuredP99): HandOverBound {
  const above = (baseMs: number): number => Math.max(baseMs * SLOWER_BY, baseMs + noiseMs);
  const ofAlone = above(aloneMs);
  const ofControl = above(controlMs);
  const msMax = Math.max(ofAlone, Math.min(ofControl, aloneMs * CONTROL_RAISES_TO));
  return { msMax: Math.round(msMax), isVoid: ms > msMax && ofControl > msMax };
}
