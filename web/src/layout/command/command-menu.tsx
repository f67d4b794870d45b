import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { SearchAnswer } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { describeItem } from './search-items.ts';
import { findCommands, type Command } from './targets.ts';

/** After the last key. */
const SETTLED_MS = 120;
const CHARS_MAX = 200;

/**
 * Finds people, campaigns, segments, templates, pages and pasted ids, and opens them: Enter here,
 * with ⌘ or Ctrl in another tab.
 */
export function CommandMenu({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { data: session } = useSession();
  const router = useRouter();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  /** Enter was pressed before anything was found. */
  const [awaited, setAwaited] = useState<{ readonly inTab: boolean } | null>(null);
  const q = useSettled(text.trim(), SETTLED_MS).slice(0, CHARS_MAX);
  const found = useRead<SearchAnswer>('search', { query: { q }, enabled: q !== '' });
  useEffect(() => {
    const before = document.activeElement;
    const own = dialog.current;
    const closeOutside = ({ target }: MouseEvent): void => {
      if (target === own) own?.close();
    };
    own?.showModal();
    own?.addEventListener('click', closeOutside);
    return () => {
      own?.removeEventListener('click', closeOutside);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const isAsking = text.trim() !== '' && (q !== text.trim() || found.isFetching);
  const items = q === '' || q !== text.trim() ? [] : (found.data?.items ?? []);
  const groups = groupBy([
    ...items.map((item): Command => {
      const { label, icon, target, hint } = describeItem(item);
      const { title, detail } = item;
      return { key: `${item.kind} ${item.id}`, group: label, title, detail, icon, target, hint };
    }),
    ...(session == null ? [] : findCommands(text, session.user.role)),
  ]);
  // In the order of the page, which arrows follow.
  const commands = groups.flatMap(([, members]) => members);
  const active = commands[Math.min(at, commands.length - 1)];
  const optionId = (command: Command): string => `${id}-${commands.indexOf(command)}`;
  const openCommand = ({ target }: Command, inTab: boolean): void => {
    if (inTab) open(router.buildLocation(target as never).publicHref, '_blank', 'noopener');
    else void navigate(target as never);
    onClose();
  };
  useEffect(() => {
    if (awaited === null || isAsking) return;
    setAwaited(null);
    if (active !== undefined) openCommand(active, awaited.inTab);
    // Once, when the answer is there.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [awaited, isAsking]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && commands.length > 0) {
      event.preventDefault();
      const next = (Math.min(at, commands.length - 1) + step + commands.length) % commands.length;
      setAt(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
    // An Enter that ends a composition of characters opens nothing.
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      const inTab = event.metaKey || event.ctrlKey;
      if (active !== undefined) openCommand(active, inTab);
      else if (isAsking) setAwaited({ inTab });
    }
  };
  return (
    <dialog ref={dialog} className="command" aria-label="Search" onClose={onClose}>
      <div className="command-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Search people, campaigns, pages or paste an id"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={active === undefined ? undefined : optionId(active)}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          maxLength={CHARS_MAX}
          placeholder="Search people, campaigns, pages, or paste an id"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
            setAwaited(null);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd aria-hidden="true">Esc</kbd>
      </div>
      <div id={`${id}-list`} className="command-list" role="listbox" aria-label="Found">
        {groups.map(([label, members]) => (
          <div key={label} role="group" aria-label={label}>
            <div className="menu-label" aria-hidden="true">
              {label}
            </div>
            {members.map((command) => (
              // Keys act on the field, which names the active option.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
              <div
                key={command.key}
                id={optionId(command)}
                className="command-option"
                role="option"
                tabIndex={-1}
                aria-selected={command === active}
                onMouseMove={() => setAt(commands.indexOf(command))}
                onClick={(event) => openCommand(command, event.metaKey || event.ctrlKey)}
              >
                <Icon name={command.icon} />
                <bdi className="cut command-title">{command.title}</bdi>
                <bdi className="cut command-detail">{command.detail}</bdi>
                <span className="menu-hint">{command.hint}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className="command-foot" role="status">
        {describeState({ q, isAsking, error: found.error, answer: found.data, commands })}
      </p>
    </dialog>
  );
}

function describeState({
  q,
  isAsking,
  error,
  answer,
  commands,
}: {
  readonly q: string;
  readonly isAsking: boolean;
  readonly error: unknown;
  readonly answer: SearchAnswer | undefined;
  readonly commands: readonly Command[];
}): string {
  if (isAsking) return 'Searching…';
  if (q !== '' && error != null) return errorMessage(error);
  if (q !== '' && answer !== undefined && answer.incomplete.length > 0) {
    const sources = answer.incomplete.map((source) => humanize(source).toLowerCase()).join(', ');
    return `Not everything was searched: ${sources}. More characters find more.`;
  }
  if (commands.length === 0) return `Nothing is called “${q}”, and no id is like it.`;
  return '↑↓ move · ↵ opens · ⌘↵ or Ctrl ↵ in a new tab';
}

/** In the order of the first of each group. */
function groupBy(commands: readonly Command[]): readonly (readonly [string, readonly Command[]])[] {
  const groups = new Map<string, Command[]>();
  for (const command of commands)
    groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}
