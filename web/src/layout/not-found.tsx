import { Link } from '@tanstack/react-router';
import { Card } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';

export function NotFound() {
  return (
    <Page title="Not found" isNarrow>
      <Card>
        <Empty
          title="This page does not exist"
          icon="warning"
          action={<Link to="/">Go to the overview</Link>}
        >
          The link may be outdated or incomplete.
        </Empty>
      </Card>
    </Page>
  );
}
