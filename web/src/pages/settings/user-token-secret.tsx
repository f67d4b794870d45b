import { USER_TOKEN_ROTATION_HOURS } from '@tidings/contracts/client-side';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';

export function UserTokenSecret({ applicationId }: { readonly applicationId: string }) {
  const [isConfirming, setConfirming] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const may = useMay('changeUserTokens');
  const rotate = useChange<void, { readonly secret: string }>(
    () => ({ path: `applications/${applicationId}/user-token-secret`, method: 'POST' }),
    ['applications'],
  );
  const confirm = (): void =>
    rotate.mutate(undefined, {
      onSuccess: (answer) => {
        setConfirming(false);
        setSecret(answer.secret);
      },
    });
  return (
    <Card title="User-token secret" description="Your back end signs user tokens with it.">
      {may ? (
        <div className="row">
          <Button onClick={() => setConfirming(true)}>Create new secret</Button>
        </div>
      ) : (
        <p className="soft">Ask an owner, admin or developer to create one.</p>
      )}
      {isConfirming && (
        <Confirm
          title="Create a new secret?"
          action="Create new secret"
          isDangerous={false}
          change={rotate}
          onConfirm={confirm}
          onClose={() => setConfirming(false)}
        >
          <p>
            Tokens signed with the current secret stay valid for {USER_TOKEN_ROTATION_HOURS} hours.
            Older secrets stop working now.
          </p>
        </Confirm>
      )}
      {secret !== null && (
        <SecretDialog
          title="New user-token secret"
          secret={secret}
          label="secret"
          onClose={() => setSecret(null)}
        />
      )}
    </Card>
  );
}
