import { partsIn } from '@tidings/postgres/statements';

const part = partsIn(import.meta.dirname);

/** SQL, for conditions that are compiled: whether the channel of these settings, joined from the left, sends. */
export const channelSends = (settings: string, application: string): string =>
  part('channel-sends', settings, application);
