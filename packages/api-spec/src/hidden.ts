/** The mask that is read in place of a secret. */
export const HIDDEN = '********';
