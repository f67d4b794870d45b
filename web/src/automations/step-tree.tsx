import {
  branchesOf,
  messagesOf,
  type AutomationDefinition,
  type AutomationNode,
} from '@tidings/contracts/automations/definition';
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { formatCount } from '../lib/format.ts';
import { ChannelIcon } from '../ui/channel-icon.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { FRAME } from './faults.ts';
import type { StepNumbers } from './step-numbers.ts';
import { branchKey, FIRST_LIST, type Nodes, type Place, keyOfNode, type NodeKey } from './tree.ts';
import { branchLabels, KINDS, stepTitle, type AutomationNames } from './words.ts';

type TreeProps = {
  readonly definition: AutomationDefinition;
  readonly names: AutomationNames;
  /** The card above the steps. */
  readonly head: ReactNode;
  readonly numbers: ReadonlyMap<string, StepNumbers>;
  /** Ids of steps with a fault. */
  readonly faulty: ReadonlySet<string>;
  /** The step or branch that keys act on. */
  readonly active: string;
  /** The step whose panel is open, or `FRAME`. */
  readonly opened: string;
  readonly mayEdit: boolean;
  readonly onActive: (key: string) => void;
  readonly onOpen: (key: string) => void;
  readonly onAdd: (kind: NodeKey, at: Pick<Place, 'list' | 'index'>) => void;
  readonly onRemove: (id: string) => void;
  readonly onMove: (id: string, by: 1 | -1) => void;
};

/** The steps as a column: branches beside each other where they have room, else indented. */
export function StepTree(props: TreeProps) {
  const { definition, head, active, opened } = props;
  const root = useRef<HTMLDivElement>(null);
  /** The focus goes to the active step when it is drawn. */
  const follows = useRef(false);
  const wasOpen = useRef(opened);
  useEffect(() => {
    // A panel that closed had the focus.
    if (follows.current || (wasOpen.current !== '' && opened === ''))
      itemsIn(root.current)
        .find((item) => keyOf(item) === active)
        ?.focus();
    follows.current = false;
    wasOpen.current = opened;
  });
  return (
    <div
      ref={root}
      className="step-tree"
      role="tree"
      aria-label="Steps"
      tabIndex={-1}
      onKeyDown={(event) => {
        follows.current = actOnKey(event, props);
      }}
    >
      <div className="step-item">
        <Item itemKey={FRAME} level={1} className="frame-card" tree={props}>
          {head}
        </Item>
        <AddStep after="what starts it" list={FIRST_LIST} index={0} tree={props} />
      </div>
      <StepList nodes={definition.nodes} list={FIRST_LIST} level={1} tree={props} />
    </div>
  );
}

type Part = { readonly tree: TreeProps };
type Level = { readonly level: number };

/** What the keys move between. Below it in the page, not inside of it, are its branches. */
function Item({
  itemKey,
  level,
  tree: { active, opened, onActive, onOpen },
  ...content
}: Part &
  Level & {
    readonly itemKey: string;
    readonly className: string;
    readonly children: ReactNode;
  }) {
  return (
    // Keys act in the tree.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="treeitem"
      dir="auto"
      data-key={itemKey}
      aria-level={level}
      aria-selected={opened === itemKey}
      tabIndex={active === itemKey ? 0 : -1}
      onFocus={() => onActive(itemKey)}
      onClick={() => onOpen(stepOf(itemKey))}
      {...content}
    />
  );
}

function StepList({
  nodes,
  list,
  level,
  tree,
}: Part & Level & { readonly nodes: Nodes; readonly list: string }) {
  return nodes.map((node, index) => {
    const title = stepTitle(node, tree.names);
    return (
      <div key={node.id} className="step-item">
        <StepCard node={node} title={title} level={level} tree={tree} />
        <Branches node={node} level={level + 1} tree={tree} />
        {/* No way leads on from an end. */}
        {!('exit' in node) && <AddStep after={title} list={list} index={index + 1} tree={tree} />}
      </div>
    );
  });
}

function StepCard({
  node,
  title,
  level,
  tree,
}: Part & Level & { readonly node: AutomationNode; readonly title: string }) {
  const { opened, faulty, numbers } = tree;
  const kind = keyOfNode(node);
  const channel = 'send' in node ? messagesOf(node.send)[0]?.channel : undefined;
  const { count = null, words = '' } = numbers.get(node.id) ?? {};
  return (
    <Item itemKey={node.id} level={level} className="step-place" tree={tree}>
      <div
        className="step-card"
        dir="ltr"
        data-kind={kind}
        data-open={opened === node.id || undefined}
        data-faulty={faulty.has(node.id) || undefined}
      >
        <span className="step-icon">
          {channel === undefined ? (
            <Icon name={KINDS[kind].icon} />
          ) : (
            <ChannelIcon channel={channel} />
          )}
        </span>
        <span className="grow wrap" dir="auto">
          {title}
          {faulty.has(node.id) && <span className="bad small"> To mend</span>}
        </span>
        {count !== null && (
          <span className="step-numbers">
            <span className="strong numbers">{count}</span>{' '}
            <span className="soft small">{words}</span>
          </span>
        )}
      </div>
    </Item>
  );
}

function Branches({ node, level, tree }: Part & Level & { readonly node: AutomationNode }) {
  const branches = branchesOf(node);
  if (branches.length === 0) return null;
  const labels = branchLabels(node);
  const { branches: counts = {}, won } = tree.numbers.get(node.id) ?? {};
  // Of ways by chance none is a yes: only the better one stands out.
  const good = 'split' in node ? won : 0;
  return (
    <div className="branches" role="group">
      <div className="branches-in" data-count={branches.length}>
        {branches.map(({ step, nodes }, index) => {
          const list = branchKey(node.id, step);
          const label = labels[index] ?? step;
          const taken = counts[step] ?? counts[index];
          return (
            <div key={list} className="step-item" data-good={index === good}>
              <Item itemKey={list} level={level} className="branch-label" tree={tree}>
                {label}
                {taken !== undefined && <span className="soft numbers"> {formatCount(taken)}</span>}
                {won === index && <span className="soft"> better</span>}
              </Item>
              <AddStep after={label} list={list} index={0} tree={tree} />
              {nodes.length === 0 ? (
                <span className="soft small branch-empty">Goes on</span>
              ) : (
                <div role="group">
                  <StepList nodes={nodes} list={list} level={level + 1} tree={tree} />
                </div>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const ADDABLE = Object.entries(KINDS).map(([value, { label, icon, hint }]) => ({
  value,
  label,
  icon,
  hint,
}));

function AddStep({
  after,
  list,
  index,
  tree: { mayEdit, onAdd },
}: Part & Pick<Place, 'list' | 'index'> & { readonly after: string }) {
  if (!mayEdit) return <span className="step-line" />;
  return (
    <span className="step-line add-step">
      <Menu
        label={<Icon name="add" />}
        name={`Add a step after ${after}`}
        role="treeitem"
        className="icon small"
        items={ADDABLE}
        onChoose={(kind) => onAdd(kind as NodeKey, { list, index })}
      />
    </span>
  );
}

const itemsIn = (root: Element | null): readonly HTMLElement[] => [
  ...(root?.querySelectorAll<HTMLElement>('[data-key]') ?? []),
];
const keyOf = (item: Element | null | undefined): string => item?.getAttribute('data-key') ?? '';
/** The step of an item: a branch belongs to one. */
const stepOf = (key: string): string => key.split('/')[0] ?? '';

/** What a key does to the step that has the focus. Whether the focus follows it to another place. */
function actOnKey(
  event: KeyboardEvent<HTMLElement>,
  { mayEdit, onOpen, onRemove, onMove, onActive }: TreeProps,
): boolean {
  const item = event.target as HTMLElement;
  const key = keyOf(item);
  if (key === '' || event.ctrlKey || event.metaKey) return false;
  const items = itemsIn(event.currentTarget);
  const at = items.indexOf(item);
  const id = stepOf(key);
  const isStep = key !== FRAME && id === key;
  const place = item.parentElement;
  const [, inner] = itemsIn(place);
  const [outer] = itemsIn(place?.parentElement?.closest('.step-item') ?? null);
  const pressed = event.altKey ? `Alt ${event.key}` : event.key;
  const moves: Readonly<Record<string, HTMLElement | null | undefined>> = {
    ArrowDown: items[at + 1],
    ArrowUp: items[at - 1],
    ArrowRight: inner,
    ArrowLeft: outer,
    Home: items[0],
    End: items.at(-1),
  };
  const by = { 'Alt ArrowUp': -1, 'Alt ArrowDown': 1 }[pressed] as 1 | -1 | undefined;
  const isRemoval = pressed === 'Backspace' || pressed === 'Delete';
  if (pressed in moves) moves[pressed]?.focus();
  else if (pressed === 'Enter') onOpen(id);
  else if (!mayEdit) return false;
  else if (pressed.toLowerCase() === 'a')
    place?.querySelector<HTMLElement>(':scope > .add-step > button')?.click();
  else if (isRemoval && isStep) {
    onRemove(id);
    // The one before it stays.
    onActive(keyOf(items[at - 1]));
  } else if (by !== undefined && isStep) onMove(id, by);
  else return false;
  event.preventDefault();
  return isRemoval || by !== undefined;
}
