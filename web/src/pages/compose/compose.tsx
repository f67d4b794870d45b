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
      description="A message to users you name. Try it dry: it says who will be reached, and why others will not."
    >
      {may ? (
        <Composer start={parseDraft(search)} />
      ) : (
        <Card>
          <Empty title="Your role does not send" icon="compose">
            An owner, admin or marketer can.
          </Empty>
        </Card>
      )}
    </Page>
  );
}
