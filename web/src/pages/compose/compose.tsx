import { Link, useSearch } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Composer } from './composer.tsx';
import { parseDraft } from './draft.ts';

/** A new campaign: who gets it, what it says, and when. */
export function ComposePage() {
  const may = useMay('compose');
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>;
  if (may) return <Composer start={parseDraft(search)} />;
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
