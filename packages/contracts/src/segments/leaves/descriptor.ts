import type { Channel } from '../../channels/channels.ts';
import type { LeafFields } from './fields.ts';
import type {
  AttributePath,
  Comparison,
  Duration,
  EventReference,
  EventWindow,
  NumberRange,
} from './parts.ts';

/** Everything about a kind of condition that is data. `@tidings/segments` holds the code. */
export type LeafDescriptor<Node extends object> = {
  /** The reference: of whom it is true. Completes "true of a user when …". */
  readonly meaning: string;
  /** Its properties. The one named like the kind and those of `required` must be there. */
  readonly schema: {
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, object>>;
  };
  /** What readers choose in the builder. */
  readonly label: string;
  /** How its sentence begins after "people who match all of these", and how its opposite does. */
  readonly begins: readonly [is: string, isNot: string];
  /** What the builder adds. */
  readonly initial: Node;
  /** The way to the text that names what is asked for: nothing can be asked while it is empty. */
  readonly names: readonly [string, ...string[]] | null;
  /** The condition as a phrase for readers. */
  words(node: Node, say: Phrases): string;
  /** Its fields in the builder; null if they need a component of their own. */
  readonly fields: LeafFields | null;
};

/** Parts of a phrase, by who shows conditions and knows the names and formats of the readers. */
export type Phrases = {
  /** `firstName` as words. */
  term(name: string): string;
  /** A text of the application, in any script. */
  text(value: string): string;
  event(reference: EventReference): string;
  funnel(slug: string): string;
  segment(slug: string): string;
  channel(channel: Channel): string;
  path(path: AttributePath): string;
  /** "is one of DE, AT" */
  comparison(comparison: Comparison): string;
  /** "at least 2" */
  range(range: NumberRange): string;
  /** "at least 2 times" */
  times(range: NumberRange): string;
  /** "30 days" */
  duration(duration: Duration): string;
  /** " in the last 30 days", or nothing. */
  window(window: EventWindow): string;
  /** " (proved)", or nothing. */
  proof(node: { readonly proved?: boolean }): string;
};
