import {
  branchesOf,
  NODE_KEYS,
  type AutomationNode,
} from '@tidings/contracts/automations/definition';

/** What a step is: the key that it has beside its id. */
export type NodeKey = (typeof NODE_KEYS)[number];
export const keyOfNode = (node: AutomationNode): NodeKey =>
  NODE_KEYS.find((key) => Object.hasOwn(node, key)) ?? 'exit';

export type Nodes = readonly AutomationNode[];

/** A node in its list. */
export type Place = {
  readonly node: AutomationNode;
  /** The key of its list. */
  readonly list: string;
  readonly index: number;
  /** Its JSON pointer. */
  readonly pointer: string;
  /** The place of the node whose branch it is in. */
  readonly parent: Place | null;
};

/** Names the list that people begin with. */
export const FIRST_LIST = '';
/** The key of a branch: it stays when nodes before it move. */
export const branchKey = (id: string, step: string): string => `${id}/${step}`;

type Inside = Pick<Place, 'list' | 'pointer' | 'parent'>;
const OUTSIDE: Inside = { list: FIRST_LIST, pointer: '/nodes', parent: null };

/** All nodes in the order in which they are read. */
export function placesOf(nodes: Nodes, inside: Inside = OUTSIDE): readonly Place[] {
  const { list, pointer, parent } = inside;
  return nodes.flatMap((node, index) => {
    const place = { node, list, index, pointer: `${pointer}/${index}`, parent };
    const inner = branchesOf(node).flatMap((branch) =>
      placesOf(branch.nodes, {
        list: branchKey(node.id, branch.step),
        pointer: `${place.pointer}/${branch.step}`,
        parent: place,
      }),
    );
    return [place, ...inner];
  });
}

export const findPlace = (nodes: Nodes, id: string): Place | undefined =>
  placesOf(nodes).find(({ node }) => node.id === id);

/** Changes each list: inner ones first, so that keys are those of before. */
function mapLists(
  nodes: Nodes,
  change: (nodes: Nodes, list: string) => Nodes,
  list = FIRST_LIST,
): Nodes {
  const inner = nodes.map((node) =>
    mapBranches(node, (branch, step) => mapLists(branch, change, branchKey(node.id, step))),
  );
  return change(inner, list);
}

function mapBranches(
  node: AutomationNode,
  change: (nodes: Nodes, step: string) => Nodes,
): AutomationNode {
  if ('split' in node)
    return {
      ...node,
      split: node.split.map((branch, index) => ({
        ...branch,
        nodes: change(branch.nodes, `split/${index}/nodes`),
      })),
    };
  if ('waitFor' in node || 'if' in node)
    return { ...node, ...ways(change(node.then, 'then'), change(node.else, 'else')) };
  return node;
}

/** Computed key: an object literal with `then` would look like a promise. */
export const ways = (first: Nodes = [], second: Nodes = []) =>
  ({ ['then' as string]: first, else: second }) as { readonly then: Nodes; readonly else: Nodes };

export const insertNode = (
  nodes: Nodes,
  at: Pick<Place, 'list' | 'index'>,
  node: AutomationNode,
): Nodes =>
  mapLists(nodes, (each, list) => (list === at.list ? each.toSpliced(at.index, 0, node) : each));

export const removeNode = (nodes: Nodes, id: string): Nodes =>
  mapLists(nodes, (each) => each.filter((node) => node.id !== id));

export const replaceNode = (nodes: Nodes, next: AutomationNode): Nodes =>
  mapLists(nodes, (each) => each.map((node) => (node.id === next.id ? next : node)));

/**
 * Moves a node by one place in reading order: past its neighbour, or into the branches of one that has
 * some, from a branch into the next one, and out of the last. The same array: it can go no further.
 */
export function moveNode(nodes: Nodes, id: string, by: 1 | -1): Nodes {
  const place = findPlace(nodes, id);
  if (place === undefined) return nodes;
  const { node, list, index, parent } = place;
  const isDown = by === 1;
  const without = removeNode(nodes, id);
  // The end of a list is behind its last node.
  const endOf = (branch: Branch): number => (isDown ? 0 : branch.nodes.length);
  const into = (owner: string, branch: Branch): Nodes =>
    insertNode(without, { list: branchKey(owner, branch.step), index: endOf(branch) }, node);
  const neighbour = listOf(nodes, list)[index + by];
  if (neighbour !== undefined) {
    const branch = branchesOf(neighbour).at(isDown ? 0 : -1);
    return branch === undefined
      ? insertNode(without, { list, index: index + by }, node)
      : into(neighbour.id, branch);
  }
  if (parent === null) return nodes;
  const branches = branchesOf(parent.node);
  const at = branches.findIndex(({ step }) => branchKey(parent.node.id, step) === list);
  const beside = at + by < 0 ? undefined : branches[at + by];
  if (beside !== undefined) return into(parent.node.id, beside);
  return insertNode(without, { list: parent.list, index: parent.index + (isDown ? 1 : 0) }, node);
}

type Branch = ReturnType<typeof branchesOf>[number];

/** The nodes of a list, by its key. */
export const listOf = (nodes: Nodes, list: string): Nodes =>
  list === FIRST_LIST
    ? nodes
    : placesOf(nodes).flatMap(({ node }) => {
        const branch = branchesOf(node).find(({ step }) => branchKey(node.id, step) === list);
        return branch?.nodes ?? [];
      });

const ID_STEMS: Readonly<Record<NodeKey, string>> = {
  delay: 'wait',
  until: 'time',
  waitFor: 'until',
  if: 'check',
  split: 'split',
  send: 'mail',
  exit: 'exit',
};

/** An id that no node had before: reports count by ids. */
export function newId(kind: NodeKey, ...known: readonly Nodes[]): string {
  const stem = ID_STEMS[kind];
  const numbers = known
    .flatMap((nodes) => placesOf(nodes))
    .map(({ node: { id } }) => (id.startsWith(stem) ? Number(id.slice(stem.length)) : 0))
    .filter((number) => number > 0);
  return `${stem}${Math.max(0, ...numbers) + 1}`;
}

/** A node as it begins. */
export function newNode(kind: NodeKey, id: string, sentBefore: string | undefined): AutomationNode {
  switch (kind) {
    case 'delay':
      return { id, delay: '1h' };
    case 'until':
      return { id, until: { time: '09:00' } };
    case 'waitFor':
      return {
        id,
        waitFor:
          sentBefore === undefined
            ? { event: '' }
            : { message: { node: sentBefore }, was: 'clicked' },
        timeout: '1d',
        ...ways(),
      };
    case 'if':
      return { id, if: { all: [{ attribute: '', is: '' }] }, ...ways() };
    case 'split':
      return {
        id,
        split: [
          { weight: 50, nodes: [] },
          { weight: 50, nodes: [] },
        ],
      };
    case 'send':
      return { id, send: { channel: 'EMAIL', message: { body: '' } } };
    case 'exit':
      return { id, exit: true };
  }
}

/** The sends that come before a place, the nearest last. */
export function sendsBefore(nodes: Nodes, at: Pick<Place, 'list' | 'index'>): readonly string[] {
  const marker = { id: '', exit: true } as const;
  const all = placesOf(insertNode(nodes, at, marker));
  return all
    .slice(
      0,
      all.findIndex(({ node }) => node.id === ''),
    )
    .flatMap(({ node }) => ('send' in node ? [node.id] : []));
}
