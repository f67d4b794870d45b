import { Link, useSearch } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Composer } from './composer.tsx';
import { parseDraft } from './draft.ts';
import { OpenedDraft } from './opened-draft.tsx';
import { useShownDraft } from '../drafts/use-shown-draft.ts';

/** A new campaign, or a stored draft of one: who gets it, what it says, and when. */
export function ComposePage() {
  const may = useMay('compose');
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>;
  const { key, draftId, onCreated } = useShownDraft(search);
  if (draftId !== null)
    return <OpenedDraft key={key} draftId={draftId} mayWrite={may} onCreated={onCreated} />;
  if (may)
    return <Composer key={key} start={parseDraft(search)} stored={null} onCreated={onCreated} />;
  return (
    <Page title="New campaign" back={<Link to="/campaigns">← All campaigns</Link>}>
      <Card>
        <Empty title="Your role can’t send campaigns" icon="compose">
          Ask an owner, admin or marketer.
        </Empty>
      </Card>
    </Page>
  );
}
