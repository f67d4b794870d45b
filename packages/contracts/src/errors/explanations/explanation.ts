/** The meaning of a code for the reader: `summary` says what happened, `remedy` what to do about it. One or two sentences each. */
export type Explanation = { readonly summary: string; readonly remedy: string };
