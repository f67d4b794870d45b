import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import { Callout } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { readJson } from '../../conditions/read-json.ts';
import { SegmentEditor } from './segment-editor.tsx';

export function NewSegmentPage() {
  const navigate = useNavigate();
  const { condition = '' } = useSearch({ strict: false }) as { readonly condition?: string };
  const may = useMay('changeSegments');
  return (
    <Page
      title="New segment"
      back={<Link to="/segments">← Segments</Link>}
      description="Choose who belongs to it. The number of members follows each change; nothing is stored before you create it."
    >
      {!may && (
        <Callout tone="warn">
          <p>Your role can’t create segments. Ask an owner, admin or marketer.</p>
        </Callout>
      )}
      <SegmentEditor
        start={condition === '' ? undefined : readJson(condition).value}
        onSaved={({ slug }) => void navigate({ to: '/segments/$slug', params: { slug } })}
      />
    </Page>
  );
}
