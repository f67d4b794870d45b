import { useSession } from '../../api/session.ts';
import type { StoredDraft } from '../../api/types.ts';
import { actorName } from '../../labels/actor-name.ts';
import { formatClock } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { listDifferences } from '../compose/draft-content.ts';
import type { DraftSaver, SaverState } from './draft-saver.ts';

type QuestionProps = {
  readonly saving: DraftSaver & SaverState;
  readonly onTheirs: (draft: StoredDraft) => void;
  /** Leaves what is written here. */
  readonly onLeave: () => void;
};

/** Asks what becomes of two versions of a draft. Nothing is overwritten, and both can be kept. */
export function DraftQuestion({ saving, onTheirs, onLeave }: QuestionProps) {
  const { conflict } = saving;
  if (conflict === null) return null;
  return conflict === 'gone' ? (
    <GoneQuestion saving={saving} onLeave={onLeave} />
  ) : (
    <TheirsQuestion saving={saving} theirs={conflict} onTheirs={onTheirs} />
  );
}

const mustChoose = (): void => undefined;

function GoneQuestion({ saving, onLeave }: Omit<QuestionProps, 'onTheirs'>) {
  return (
    <Dialog title="This draft is gone" onClose={mustChoose} isClosable={false}>
      <p>
        It was sent or deleted meanwhile, here or by another member. Nothing was sent from this
        page.
      </p>
      <div className="dialog-foot">
        <Button
          onClick={() => {
            saving.drop();
            onLeave();
          }}
        >
          Leave it
        </Button>
        <Button kind="primary" onClick={saving.keepAsOther}>
          Keep mine as a new draft
        </Button>
      </div>
    </Dialog>
  );
}

function TheirsQuestion({
  saving,
  theirs,
  onTheirs,
}: Pick<QuestionProps, 'saving' | 'onTheirs'> & { readonly theirs: StoredDraft }) {
  const now = useNow();
  const { data: session } = useSession();
  const { content, updatedBy, updatedAt } = theirs;
  const isDeletion = updatedBy === 'deletion';
  const isMine = updatedBy === `member:${session?.user.email}`;
  const differing = listDifferences(saving.latest(), content);
  const time = formatClock(updatedAt, now);
  const title = isMine
    ? 'You changed this draft in another window'
    : `${isDeletion ? 'A deleted user was removed from this draft' : `${isolate(actorName(updatedBy))} changed this draft`}`;
  return (
    <Dialog title={title} onClose={mustChoose} isClosable={false}>
      <p>
        {isDeletion ? 'That was' : 'That version was saved'} at {time}. What you wrote since is only
        here. Nothing was overwritten.
      </p>
      {differing.length > 0 && <p className="soft">They differ in: {differing.join(', ')}.</p>}
      <div className="dialog-foot">
        {/* A copy would bring the deleted user back. */}
        {!isDeletion && <Button onClick={saving.keepAsOther}>Keep mine as a new draft</Button>}
        <Button
          kind="primary"
          onClick={() => {
            saving.takeTheirs(theirs);
            onTheirs(theirs);
          }}
        >
          {isMine || isDeletion ? 'Continue with that version' : 'Continue with theirs'}
        </Button>
      </div>
    </Dialog>
  );
}
