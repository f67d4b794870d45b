import { LIMITS } from '@tidings/contracts/limits';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { ApiKey, NewKey } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { CreateKey } from './create-key.tsx';
import { SecretDialog } from './secret-dialog.tsx';

type KeyAction = { readonly what: 'delete' | 'change'; readonly key: ApiKey };

export function KeysPage() {
  const [keyAction, setKeyAction] = useState<KeyAction | null>(null);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewKey | null>(null);
  const may = useMay('changeKeys');
  const create = may && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      New key
    </Button>
  );
  const columns: readonly Column<ApiKey>[] = [
    {
      name: 'Key',
      cell: ({ name, prefix, type }) => (
        <>
          <span className="row">
            <span className="strong wrap" dir="auto">
              {name}
            </span>
            <Badge tone={type === 'server' ? 'info' : 'quiet'}>{humanize(type)}</Badge>
          </span>
          <div>
            <code className="soft">{prefix}…</code>
          </div>
        </>
      ),
    },
    {
      name: 'Allowed origins',
      isMinor: true,
      cell: ({ type, allowedOrigins }) =>
        type === 'client' ? <LongText text={allowedOrigins.join(', ') || 'Any'} /> : '–',
    },
    {
      name: 'Last used',
      width: '8rem',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          <span className="soft">Never</span>
        ) : (
          <Time at={lastUsedAt} form="ago" />
        ),
    },
    {
      name: 'Actions',
      cell: (key) =>
        may && (
          <span className="row">
            {key.type === 'server' && (
              <Button
                isSmall
                onClick={() => setKeyAction({ what: 'change', key })}
                aria-label={`Change to Client key: ${key.name}`}
              >
                Change to Client key
              </Button>
            )}
            <Button
              isSmall
              kind="danger"
              onClick={() => setKeyAction({ what: 'delete', key })}
              aria-label={`Delete ${key.name}`}
            >
              Delete
            </Button>
          </span>
        ),
    },
  ];
  return (
    <Page
      title="Keys"
      description={`Every request needs the application ID and a key. You can have up to ${LIMITS.keysMax} keys and replace them without downtime.`}
      actions={create}
    >
      <Card isFlush>
        <List<ApiKey>
          label="Keys"
          path="keys"
          columns={columns}
          rowKey={({ id }) => id}
          fileName="keys.csv"
          empty={
            <Empty title="No keys yet" icon="settings" action={create}>
              Use a Server key in your back end and a Client key in browsers and apps.
            </Empty>
          }
        />
      </Card>
      <Card title="If a Server key leaks">
        <ol className="stack tight">
          <li>1. Change it to a Client key: it loses access to campaigns and data in 5 seconds.</li>
          <li>2. Create a new Server key and use it in your back end.</li>
          <li>3. Once the old key is no longer used, delete it.</li>
        </ol>
      </Card>
      {isCreating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false);
            setCreated(key);
          }}
        />
      )}
      {created !== null && (
        <SecretDialog
          title={`${humanize(created.type)} key “${isolate(created.name)}”`}
          secret={created.key}
          label="key"
          onClose={() => setCreated(null)}
        >
          {created.type === 'server' && (
            <p className="soft small">Keep it on your servers, never in a web page or an app.</p>
          )}
        </SecretDialog>
      )}
      {keyAction !== null && (
        <ConfirmKeyAction keyAction={keyAction} onClose={() => setKeyAction(null)} />
      )}
    </Page>
  );
}

function ConfirmKeyAction({
  keyAction: { what, key },
  onClose,
}: {
  readonly keyAction: KeyAction;
  readonly onClose: () => void;
}) {
  const act = useChange<void>(
    () =>
      what === 'delete'
        ? { path: `keys/${key.id}`, method: 'DELETE' }
        : { path: `keys/${key.id}`, method: 'PATCH', body: { type: 'client' } },
    ['keys'],
  );
  const confirm = (): void =>
    act.mutate(undefined, {
      onSuccess: () => {
        showToast(what === 'delete' ? 'Key deleted' : 'Changed to Client key');
        onClose();
      },
    });
  if (what === 'delete') {
    return (
      <Confirm
        title={`Delete “${isolate(key.name)}”?`}
        action="Delete key"
        change={act}
        onConfirm={confirm}
        onClose={onClose}
      >
        <p>Requests with this key get 403 within 5 seconds. This can’t be undone.</p>
        {key.lastUsedAt !== null && (
          <Callout tone="warn">
            <p>
              Last used <Time at={key.lastUsedAt} form="ago" />.
            </p>
          </Callout>
        )}
      </Confirm>
    );
  }
  return (
    <Confirm
      title={`Change “${isolate(key.name)}” to a Client key?`}
      action="Change to Client key"
      change={act}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        The key keeps its value. It can still send events and profiles, but no campaigns or business
        events, and it can’t call <code>/api/v1</code>.
      </p>
      <p>This can’t be undone.</p>
    </Confirm>
  );
}
