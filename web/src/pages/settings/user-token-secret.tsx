import { USER_TOKEN_ROTATION_HOURS } from '@tidings/contracts';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';

export function UserTokenSecret({ applicationId }: { readonly applicationId: string }) {
  const [isAsked, setAsked] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const may = useMay('changeUserTokens');
  const rotate = useChange<void, { readonly secret: string }>(
    () => ({ path: `applications/${applicationId}/user-token-secret`, method: 'POST' }),
    ['applications'],
  );
  const confirm = (): void =>
    rotate.mutate(undefined, {
      onSuccess: (answer) => {
        setAsked(false);
        setSecret(answer.secret);
      },
    });
  return (
    <Card title="User-token secret" description="Your back end signs with it who uses a device.">
      {may ? (
        <div className="row">
          <Button onClick={() => setAsked(true)}>Make a new secret</Button>
        </div>
      ) : (
        <p className="soft">An owner, admin or developer can make one.</p>
      )}
      {isAsked && (
        <Confirm
          title="Make a new secret?"
          action="Make a new secret"
          isDangerous={false}
          change={rotate}
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        >
          <p>
            Tokens of the present one count for {USER_TOKEN_ROTATION_HOURS} hours more; those of one
            older than that no more.
          </p>
        </Confirm>
      )}
      {secret !== null && (
        <SecretDialog
          title="The user-token secret"
          secret={secret}
          label="the secret"
          onClose={() => setSecret(null)}
        />
      )}
    </Card>
  );
}
