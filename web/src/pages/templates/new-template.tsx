import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import { Callout } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { TemplateEditor } from './template-editor.tsx';

export function NewTemplatePage() {
  const navigate = useNavigate();
  const may = useMay('changeTemplates');
  return (
    <Page
      title="New template"
      back={<Link to="/templates">← Templates</Link>}
      description="Write the message once, with the values of each user in it. Nothing is stored before you create it, and nothing is sent."
    >
      {!may && (
        <Callout tone="warn">
          <p>Your role can’t create templates. Ask an owner, admin or marketer.</p>
        </Callout>
      )}
      <TemplateEditor
        onSaved={({ slug }) => void navigate({ to: '/templates/$slug', params: { slug } })}
      />
    </Page>
  );
}
