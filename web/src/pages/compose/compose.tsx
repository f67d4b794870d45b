import { useSearch } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Composer } from './composer.tsx';
import { parseDraft } from './draft.ts';

export function ComposePage() {
  const may = useMay('compose');
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>;
  return (
    <Page
      title="Compose"
      description="Send a message or a template to a list of users or to a segment. Check the audience first to see who can be reached, and why others can’t."
    >
      {may ? (
        <Composer start={parseDraft(search)} />
      ) : (
        <Card>
          <Empty title="Your role can’t send campaigns" icon="compose">
            Ask an owner, admin or marketer.
          </Empty>
        </Card>
      )}
    </Page>
  );
}
