import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import { Callout } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { BlockEditor } from './block-editor.tsx';
import { BACK_TO_BLOCKS } from './block.tsx';

export function NewBlockPage() {
  const navigate = useNavigate();
  const may = useMay('changeBlocks');
  return (
    <Page
      title="New block"
      back={BACK_TO_BLOCKS}
      description="Write a text that templates share, such as a footer. Values of each user may stand in it."
    >
      {!may && (
        <Callout tone="warn">
          <p>Your role can’t create blocks. Ask an owner, admin or marketer.</p>
        </Callout>
      )}
      <BlockEditor
        onSaved={({ slug }) => void navigate({ to: '/templates/blocks/$slug', params: { slug } })}
      />
    </Page>
  );
}
