import type { Person, Population } from './population.ts';
import type { Random } from './random.ts';

/** What a drawn condition may name. */
export type Drawn = Pick<Population, 'now' | 'campaigns'>;

/** A kind of condition in memory. It shares no code with its statements. */
export type LeafModel<Node> = {
  /** How often it is drawn beside the others. */
  readonly weight: number;
  /** A valid condition of this kind, true of some of the population and false of others. */
  draw(random: Random, of: Drawn): Node;
  evaluate(node: Node, person: Person, of: Population): boolean;
};
