/** Of one value; `at` is the way to it in the condition, `before` the words that lead to it. */
type At = {
  readonly label: string;
  readonly before?: string;
  readonly at: readonly [string, ...string[]];
};

/** A field of the builder. `standard`: what an absent value means. */
export type LeafField =
  | (At & {
      readonly input: 'choice';
      readonly options: readonly string[];
      readonly standard?: string;
    })
  | (At & { readonly input: 'channel' | 'segment' });

/** In the order of the builder. A condition that they do not cover is shown as JSON. */
export type LeafFields = readonly LeafField[];
