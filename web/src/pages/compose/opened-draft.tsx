import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { httpStatus } from '../../api/problem.ts';
import { useRead } from '../../api/queries.ts';
import type { StoredDraft } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Composer } from './composer.tsx';
import { ContentPreview } from './content-preview.tsx';
import { fromContent } from './draft-content.ts';

type OpenedProps = {
  readonly draftId: string;
  /** If false, it is only shown. */
  readonly mayWrite: boolean;
  readonly onCreated: (draftId: string) => void;
};

/** A stored draft, to go on with. */
export function OpenedDraft({ draftId, mayWrite, onCreated }: OpenedProps) {
  const read = useRead<StoredDraft>(`drafts/${encodeURIComponent(draftId)}`, { isKept: false });
  const { data } = read;
  if (data === undefined)
    return (
      <ShownDraft>
        {httpStatus(read.error) === 404 ? (
          <Gone />
        ) : (
          <Loaded read={read} lines={6}>
            {() => null}
          </Loaded>
        )}
      </ShownDraft>
    );
  const draft = fromContent(data.content);
  return mayWrite ? (
    <Composer start={draft} stored={data} onCreated={onCreated} />
  ) : (
    <ShownDraft name={draft.name}>
      <ContentPreview draft={draft} />
    </ShownDraft>
  );
}

function ShownDraft({
  name = '',
  children,
}: {
  readonly name?: string;
  readonly children: ReactNode;
}) {
  return (
    <Page
      title={name === '' ? 'Draft' : name}
      back={
        <Link to="/campaigns" search={{ status: 'draft' } as never}>
          ← All drafts
        </Link>
      }
    >
      {children}
    </Page>
  );
}

const Gone = () => (
  <Card>
    <Empty title="This draft is gone" icon="search">
      It was sent or deleted, or it belongs to another application.
    </Empty>
  </Card>
);
