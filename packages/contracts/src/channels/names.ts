const NAMES = ['SMS', 'WEB_PUSH', 'APP_PUSH', 'EMAIL', 'WEB_HOOK', 'IN_APP', 'ON_SITE'] as const;

/** The public name of a channel. */
export type Channel = (typeof NAMES)[number];

/** The channels of campaigns. A new one begins here; `docs/structure.md` lists what follows. Apart from their descriptors: the dashboard's first page needs the names alone. */
export const CHANNELS: readonly Channel[] = NAMES;
