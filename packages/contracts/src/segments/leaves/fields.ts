/** Of one value; `at` is the way to it in the condition. */
type At = { readonly label: string; readonly at: readonly [string, ...string[]] };

/** A field of the builder. `standard`: what an absent value means. */
export type LeafField =
  | (At & { readonly input: 'text'; readonly placeholder?: string })
  | (At & {
      readonly input: 'choice';
      readonly options: readonly string[];
      readonly standard?: string;
    })
  | (At & { readonly input: 'channel' | 'segment' })
  /** An operator and its operand. */
  | { readonly input: 'comparison' };

/** In the order of the builder. A condition that they do not cover is shown as JSON. */
export type LeafFields = readonly LeafField[];
