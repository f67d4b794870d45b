import {
  branchesOf,
  type AutomationDefinition,
  type AutomationNode,
} from '@tidings/contracts/automations/definition';

/** A node with the ids of those that follow it; null: the end. */
export type Step = {
  readonly node: AutomationNode;
  /** After it, and after each of its branches. */
  readonly next: string | null;
  /** The first node of each branch; of an empty one, what follows the node. */
  readonly branches: readonly (string | null)[];
};

/** An automation as its runs go through it. */
export type Program = {
  readonly definition: AutomationDefinition;
  readonly start: string | null;
  readonly steps: ReadonlyMap<string, Step>;
};

export function toProgram(definition: AutomationDefinition): Program {
  const steps = new Map<string, Step>();
  const start = addList(steps, definition.nodes, null);
  return { definition, start, steps };
}

/** Returns the first node of the list; of an empty one, what follows it. */
function addList(
  steps: Map<string, Step>,
  nodes: readonly AutomationNode[],
  after: string | null,
): string | null {
  for (const [index, node] of nodes.entries()) {
    const next = nodes[index + 1]?.id ?? after;
    const branches = branchesOf(node).map((branch) => addList(steps, branch.nodes, next));
    steps.set(node.id, { node, next, branches });
  }
  return nodes[0]?.id ?? after;
}
