import { TONES, type Tone } from '../../ui/chart-props.ts';

/** The colour of the series or group at a place; none beyond the last. */
export const toneOf = (index: number): Tone | null => TONES[index] ?? null;
