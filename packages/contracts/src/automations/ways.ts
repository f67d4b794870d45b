import {
  branchesOf,
  messagesOf,
  type AutomationMessage,
  type AutomationNode,
} from './definition.ts';

/** The most messages that one run can be sent. */
export function mostSends(nodes: readonly AutomationNode[]): number {
  return nodes.reduce((sum, node) => {
    const within = branchesOf(node).map((branch) => mostSends(branch.nodes));
    return sum + ('send' in node ? 1 : 0) + Math.max(0, ...within);
  }, 0);
}

/** Whether no run goes on after a node. */
export function endsEachWay(node: AutomationNode): boolean {
  if ('exit' in node) return true;
  const branches = branchesOf(node);
  return branches.length > 0 && branches.every(({ nodes }) => nodes.some(endsEachWay));
}

/** A message of a send node, and where it stands. */
export type PlacedMessage = {
  readonly node: string;
  /** Its place among those of the node. */
  readonly messageNo: number;
  readonly message: AutomationMessage;
  readonly pointer: string;
};

/** All messages, in the order of the definition. */
export function allMessages(nodes: readonly AutomationNode[], pointer = '/nodes'): PlacedMessage[] {
  return nodes.flatMap((node, index) => {
    const at = `${pointer}/${index}`;
    const own =
      'send' in node
        ? messagesOf(node.send).map((message, messageNo) => ({
            node: node.id,
            messageNo,
            message,
            pointer: 'try' in node.send ? `${at}/send/try/${messageNo}` : `${at}/send`,
          }))
        : [];
    return [
      ...own,
      ...branchesOf(node).flatMap((branch) => allMessages(branch.nodes, `${at}/${branch.step}`)),
    ];
  });
}

/** A definition with other messages in the places of its own. */
export function mapMessages(
  nodes: readonly AutomationNode[],
  replace: (message: AutomationMessage, node: string, messageNo: number) => AutomationMessage,
): AutomationNode[] {
  const list = (below: readonly AutomationNode[]): AutomationNode[] => mapMessages(below, replace);
  return nodes.map((node): AutomationNode => {
    if ('send' in node) {
      const messages = messagesOf(node.send).map((each, index) => replace(each, node.id, index));
      const [only] = messages;
      if ('try' in node.send) return { ...node, send: { ...node.send, try: messages } };
      return only === undefined ? node : { ...node, send: { ...node.send, ...only } };
    }
    if ('split' in node)
      return {
        ...node,
        split: node.split.map((branch) => ({ ...branch, nodes: list(branch.nodes) })),
      };
    if ('if' in node || 'waitFor' in node)
      return { ...node, ['then' as const]: list(node.then), else: list(node.else) };
    return node;
  });
}
