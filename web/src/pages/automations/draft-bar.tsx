import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { actorName } from '../../labels/actor-name.ts';
import { counted, formatClock } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { isolate } from '../../lib/text.ts';
import { errorMessage } from '../../api/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import type { AutomationDraft } from '../../automations/use-automation-draft.ts';
import { useRehearsed } from '../../automations/use-rehearsed.ts';
import { nameAlike, type Caution } from '../../automations/faults.ts';
import { useAutomationNames } from '../../automations/use-automation-names.ts';
import { nodeName } from '../../automations/words.ts';

type Props = { readonly draft: AutomationDraft };
const TYPING = 'input, textarea, code-field, [contenteditable]';

/** Whether the draft is saved, and since when. */
export function SavedState({ draft: { saving, canUndo, undo } }: Props) {
  const { stored, isSaved, error } = saving;
  const now = useNow();
  useUndoKey(undo);
  return (
    <>
      <span className="soft small" role="status">
        {error !== null
          ? 'Not saved'
          : isSaved && stored !== null
            ? `Saved ${formatClock(stored.savedAt, now)}`
            : 'Saving…'}
      </span>
      {canUndo && (
        <Button kind="plain" onClick={undo}>
          Undo
        </Button>
      )}
    </>
  );
}

function useUndoKey(undo: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isUndo = event.key === 'z' && (event.metaKey || event.ctrlKey) && !event.shiftKey;
      if (!isUndo || event.defaultPrevented) return;
      // A field undoes what is typed in it.
      if (event.target instanceof Element && event.target.closest(TYPING) !== null) return;
      event.preventDefault();
      undo();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [undo]);
}

/** What keeps the draft from being saved. */
export function DraftTrouble({
  draft,
  isLive,
}: Props & {
  /** Whether people enter what is shown. */
  readonly isLive: boolean;
}) {
  const { saving, definition } = draft;
  const { error, conflict } = saving;
  const { names } = useAutomationNames();
  const nameOf = (at: string): string => nodeName(definition, at, names);
  const faults = nameAlike(draft.faults, nameOf);
  if (conflict !== null) return <Conflict draft={draft} />;
  if (error === null)
    return <Cautions cautions={nameAlike(draft.cautions, nameOf)} isLive={isLive} />;
  return (
    <Callout tone="bad">
      <div className="row" role="alert">
        <span>
          {faults.length === 0
            ? errorMessage(error)
            : `Not saved: ${counted(faults.length, 'fault', 'faults')} to mend first.`}
        </span>
        {faults.slice(0, FAULTS_SHOWN).map((fault) => (
          <FaultLink key={fault.error.pointer + fault.text} {...fault} />
        ))}
      </div>
    </Callout>
  );
}

const FAULTS_SHOWN = 3;

/** Opens the fields in which it is mended. */
function FaultLink({ at, text }: Caution) {
  const navigate = useNavigate();
  const kept = useRehearsed();
  return (
    <Button
      isSmall
      onClick={() =>
        void navigate({ to: '.', search: { ...kept, step: at } as never, resetScroll: false })
      }
    >
      <span dir="auto">{text}</span>
    </Button>
  );
}

/** What may be meant so: it is saved all the same. */
function Cautions({
  cautions,
  isLive,
}: Pick<AutomationDraft, 'cautions'> & { readonly isLive: boolean }) {
  if (cautions.length === 0) return null;
  return (
    <Callout tone="warn">
      <div className="row" role="status">
        <span>{isLive ? 'Look at this:' : 'Saved. Look at this before you activate it:'}</span>
        {cautions.map((caution) => (
          <FaultLink key={caution.at + caution.text} {...caution} />
        ))}
      </div>
    </Callout>
  );
}

function Conflict({ draft: { saving, takeTheirs } }: Props) {
  const { conflict } = saving;
  if (conflict === null) return null;
  const isGone = conflict === 'gone';
  return (
    <Callout tone="warn">
      <p>
        {isGone
          ? 'This automation was deleted meanwhile.'
          : `${isolate(actorName(conflict.updatedBy))} changed it meanwhile. What you wrote since is only here.`}
      </p>
      <div className="row">
        {!isGone && (
          <Button isSmall onClick={takeTheirs}>
            Continue with theirs
          </Button>
        )}
        <Button isSmall onClick={saving.keepAsOther}>
          {isGone ? 'Create it again' : 'Keep mine'}
        </Button>
      </div>
    </Callout>
  );
}
