import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { requestBlob } from '../../api/client.ts';
import { errorMessage, httpStatus } from '../../api/problem.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { User } from '../../api/types.ts';
import { save } from '../../lib/save.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { showToast } from '../../ui/toast.tsx';
import { nameOfUser } from '../people/people.ts';
import { HeldEvents } from './held-events.tsx';
import { ProfileTab } from './profile.tsx';
import { UserAutomations } from './user-automations.tsx';
import { UserEvents } from './user-events.tsx';
import { UserSegments } from './user-segments.tsx';
import { UserTimeline } from './user-timeline.tsx';

const TABS = [
  { id: 'profile', label: 'Profile' },
  { id: 'timeline', label: 'Timeline' },
  { id: 'events', label: 'Events' },
  { id: 'segments', label: 'Segments' },
  { id: 'automations', label: 'Automations' },
] as const;

export function UserPage() {
  const { customUserId = '' } = useParams({ strict: false });
  const path = `users/${encodeURIComponent(customUserId)}`;
  const read = useRead<User>(path);
  const filters = useFilters(['tab']);
  const tab = TABS.find(({ id }) => id === filters.get('tab'))?.id ?? 'profile';
  const back = <Link to="/users">← Users</Link>;
  if (httpStatus(read.error) === 404) {
    return (
      <Page title="User not found" back={back}>
        <Card>
          <Empty
            title="No registered user with this ID"
            icon="search"
            action={<Link to="/users">Search users</Link>}
          >
            <code className="wrap" dir="auto">
              {customUserId}
            </code>{' '}
            is unknown, was deleted, or is not registered yet.
          </Empty>
        </Card>
        <HeldEvents path={path} />
      </Page>
    );
  }
  return (
    <Page
      title={nameOfUser(customUserId, read.data)}
      back={back}
      description={
        <code className="wrap" dir="auto">
          {customUserId}
        </code>
      }
      actions={read.data && <UserActions customUserId={customUserId} path={path} />}
    >
      <Loaded read={read} lines={6}>
        {(user) => (
          <>
            <Tabs tabs={TABS} active={tab} label="User sections" />
            {tab === 'profile' && <ProfileTab user={user} />}
            {tab === 'timeline' && <UserTimeline path={path} customUserId={customUserId} />}
            {tab === 'events' && <UserEvents path={path} />}
            {tab === 'segments' && <UserSegments path={path} />}
            {tab === 'automations' && <UserAutomations path={path} customUserId={customUserId} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function UserActions({
  customUserId,
  path,
}: {
  readonly customUserId: string;
  readonly path: string;
}) {
  const [isConfirming, setConfirming] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const navigate = useNavigate();
  const mayExport = useMay('exportUsers');
  const mayDelete = useMay('deleteUsers');
  const remove = useChange<void>(() => ({ path, method: 'DELETE' }), ['users']);
  const exportUser = async (): Promise<void> => {
    setSaving(true);
    try {
      save(
        await requestBlob(`${path}/export`),
        `user-${customUserId.replaceAll(/[^\w.-]+/g, '_')}.json`,
      );
    } catch (error) {
      showToast(errorMessage(error), 'bad');
    } finally {
      setSaving(false);
    }
  };
  return (
    <>
      {mayExport && (
        <Button isBusy={isSaving} onClick={() => void exportUser()}>
          <Icon name="download" /> Export
        </Button>
      )}
      {mayDelete && (
        <Button kind="danger" onClick={() => setConfirming(true)}>
          Delete
        </Button>
      )}
      {isConfirming && (
        <Confirm
          title={`Delete ${isolate(customUserId)}?`}
          action="Delete permanently"
          change={remove}
          onClose={() => setConfirming(false)}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                showToast('User deleted');
                void navigate({ to: '/users' });
              },
            })
          }
        >
          <p>
            Deletes the profile, devices and events of the user, and the addresses in sent messages.
            Messages from before the deletion do not restore the user. Figures in reports remain.
          </p>
          <p>This can’t be undone.</p>
        </Confirm>
      )}
    </>
  );
}
