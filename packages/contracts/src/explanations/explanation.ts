/** What a code says to whoever meets it: one sentence of what it means, and one of what to do. */
export type Explanation = { readonly summary: string; readonly remedy: string };
