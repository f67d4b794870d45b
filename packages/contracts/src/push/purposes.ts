/** The purpose of a campaign, chosen by its caller. */
export const PURPOSES = ['transactional', 'marketing'] as const;
export type Purpose = (typeof PURPOSES)[number];
