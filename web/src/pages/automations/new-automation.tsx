import { Link } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { Recipes } from './recipes.tsx';

export function NewAutomationPage() {
  return (
    <Page
      title="New automation"
      back={<Link to="/automations">← Automations</Link>}
      description="Choose what is nearest to what you mean. It opens as a draft, and nothing is sent before you activate it."
    >
      <Recipes />
    </Page>
  );
}
