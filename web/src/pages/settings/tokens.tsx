import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { NewToken, Token } from '../../api/types.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { List } from '../../ui/list.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { actorName } from '../../labels/actor-name.ts';
import { SettingsPage } from './settings-page.tsx';
import { SecretDialog } from './secret-dialog.tsx';

const PATH = 'administrator-tokens';

export function TokensPage() {
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [revoked, setRevoked] = useState<Token | null>(null);
  const may = useMay('changeTokens');
  const revoke = useChange<string>((id) => ({ path: `${PATH}/${id}`, method: 'DELETE' }), [PATH]);
  const create = may && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      New token
    </Button>
  );
  return (
    <SettingsPage
      title="Administrator tokens"
      description="For programs that manage applications, keys and channels. A token has the permissions of an admin in all applications."
      actions={create}
    >
      <Card isFlush>
        <List<Token>
          label="Administrator tokens"
          path={PATH}
          rowKey={({ id }) => id}
          fileName="administrator-tokens.csv"
          columns={[
            {
              name: 'Token',
              cell: ({ name, prefix }) => (
                <>
                  <span className="strong wrap" dir="auto">
                    {name}
                  </span>
                  <div>
                    <code className="soft">{prefix}…</code>
                  </div>
                </>
              ),
            },
            { name: 'Created', isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: 'Created by',
              isMinor: true,
              cell: ({ createdBy }) => (
                <span className="wrap" dir="auto">
                  {createdBy === '' ? '–' : actorName(createdBy)}
                </span>
              ),
            },
            { name: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} form="ago" /> },
            {
              name: 'Actions',
              width: '6rem',
              cell: (token) =>
                may && (
                  <Button
                    isSmall
                    kind="danger"
                    onClick={() => setRevoked(token)}
                    aria-label={`Revoke ${token.name}`}
                  >
                    Revoke
                  </Button>
                ),
            },
          ]}
          empty={<Empty title="No tokens yet" icon="settings" action={create} />}
        />
      </Card>
      {isCreating && (
        <CreateToken
          onClose={() => setCreating(false)}
          onCreated={(token) => {
            setCreating(false);
            setSecret(token);
          }}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title="New administrator token"
          secret={secret}
          label="token"
          onClose={() => setSecret(null)}
        />
      )}
      {revoked !== null && (
        <Confirm
          title={`Revoke “${isolate(revoked.name)}”?`}
          action="Revoke token"
          change={revoke}
          onClose={() => setRevoked(null)}
          onConfirm={() => revoke.mutate(revoked.id, { onSuccess: () => setRevoked(null) })}
        >
          <p>Requests with this token are rejected immediately.</p>
        </Confirm>
      )}
    </SettingsPage>
  );
}

function CreateToken({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (token: string) => void;
}) {
  const { values, field } = useFields({ name: '' });
  const create = useChange<void, NewToken>(
    () => ({ path: PATH, method: 'POST', body: values }),
    [PATH],
  );
  return (
    <FormDialog
      title="New administrator token"
      action="Create"
      change={create}
      onSubmit={() => create.mutate(undefined, { onSuccess: ({ token }) => onCreated(token) })}
      onClose={onClose}
    >
      <TextField label="Name" {...field('name')} hint="e.g. “Terraform”" required />
    </FormDialog>
  );
}
