import { MEMBER_ROLES } from '@tidings/contracts/members';
import { useState } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import { useSession } from '../../api/session.ts';
import type { Member } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { List } from '../../ui/list.tsx';
import { Menu } from '../../ui/menu.tsx';
import { toOptions } from '../../ui/options.ts';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { SettingsPage } from './settings-page.tsx';
import { SecretDialog } from './secret-dialog.tsx';

/** Without a mail server for invitations, the inviting member passes on the link. */
type Invited = { readonly invitationUrl: string };

const ROLE_DESCRIPTIONS: readonly (readonly [string, string])[] = [
  ['Owner', 'Everything, including managing owners'],
  ['Admin', 'Everything except managing owners'],
  ['Developer', 'Keys, event definitions, webhooks, dead letters'],
  ['Marketer', 'Campaigns, test sends, suppressions'],
  ['Viewer', 'View only'],
];

export function MembersPage() {
  const [isInviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<Invited | null>(null);
  const [removed, setRemoved] = useState<Member | null>(null);
  const may = useMay('changeMembers');
  const { data: session } = useSession();
  const mayChange = (member: Member): boolean => may && member.id !== session?.user.id;
  const remove = useChange<string>(
    (id) => ({ path: `members/${id}`, method: 'DELETE' }),
    ['members'],
  );
  return (
    <SettingsPage
      title="Members"
      description="Who can sign in, and what they can do."
      actions={
        may && (
          <Button kind="primary" onClick={() => setInviting(true)}>
            Invite member
          </Button>
        )
      }
    >
      <Card isFlush>
        <List<Member>
          label="Members"
          path="members"
          rowKey={({ id }) => id}
          fileName="members.csv"
          columns={[
            {
              name: 'Member',
              cell: ({ id, name, email }) => (
                <>
                  <span className="strong wrap" dir="auto">
                    {name || email}
                  </span>{' '}
                  {id === session?.user.id && <Badge tone="info">You</Badge>}
                  <div className="soft small wrap" dir="auto">
                    {email}
                  </div>
                </>
              ),
            },
            {
              name: 'Role',
              width: '10rem',
              cell: (member) =>
                mayChange(member) ? <RoleMenu member={member} /> : humanize(member.role),
            },
            {
              name: 'Status',
              isMinor: true,
              cell: ({ isInvited }) =>
                isInvited ? <Badge tone="warn">Invited</Badge> : <Badge tone="good">Active</Badge>,
            },
            {
              name: 'Last sign-in',
              isMinor: true,
              cell: ({ signedInAt }) => <Time at={signedInAt} form="ago" />,
            },
            {
              name: 'Actions',
              cell: (member) =>
                mayChange(member) && (
                  <MemberActions
                    member={member}
                    onLink={setInvited}
                    onRemove={() => setRemoved(member)}
                  />
                ),
            },
          ]}
          empty={<Empty title="No other members" icon="users" />}
        />
      </Card>
      <Card title="Roles">
        <Facts facts={ROLE_DESCRIPTIONS} />
      </Card>
      {isInviting && (
        <Invite
          onClose={() => setInviting(false)}
          onInvited={(answer) => {
            setInviting(false);
            setInvited(answer);
          }}
        />
      )}
      {invited !== null && (
        <SecretDialog
          title="One-time link"
          secret={invited.invitationUrl}
          label="link"
          onClose={() => setInvited(null)}
        >
          <p className="soft small">
            Send this link to the person. It works once within 7 days and lets them set a password.
          </p>
        </SecretDialog>
      )}
      {removed !== null && (
        <Confirm
          title={`Remove ${removed.email}?`}
          action="Remove"
          change={remove}
          onClose={() => setRemoved(null)}
          onConfirm={() => remove.mutate(removed.id, { onSuccess: () => setRemoved(null) })}
        >
          <p>Their sessions end immediately. Their actions stay in the audit log.</p>
          <p>
            Administrator tokens that they created keep working. Revoke them under Administrator
            tokens.
          </p>
        </Confirm>
      )}
    </SettingsPage>
  );
}

const showError = (error: Error): void => showToast(errorMessage(error), 'bad');

function RoleMenu({ member: { id, email, role } }: { readonly member: Member }) {
  const change = useChange<string>(
    (chosen) => ({ path: `members/${id}`, method: 'PATCH', body: { role: chosen } }),
    ['members'],
  );
  return (
    <Menu
      className="small"
      name={`Role of ${email}: ${humanize(role)}`}
      label={
        <>
          {humanize(role)} <Icon name="chevron" />
        </>
      }
      items={MEMBER_ROLES.map((each) => ({
        value: each,
        label: humanize(each),
        isChosen: each === role,
      }))}
      onChoose={(chosen) => {
        if (chosen === role) return;
        change.mutate(chosen, {
          onSuccess: () => showToast('Role changed'),
          onError: showError,
        });
      }}
    />
  );
}

function MemberActions({
  member: { id, email },
  onLink,
  onRemove,
}: {
  readonly member: Member;
  readonly onLink: (answer: Invited) => void;
  readonly onRemove: () => void;
}) {
  const renew = useChange<void, Invited>(
    () => ({ path: `members/${id}/invitation`, method: 'POST' }),
    ['members'],
  );
  return (
    <span className="row">
      <Button
        isSmall
        isBusy={renew.isPending}
        onClick={() => renew.mutate(undefined, { onSuccess: onLink, onError: showError })}
        aria-label={`New link for ${email}`}
      >
        New link
      </Button>
      <Button isSmall kind="danger" onClick={onRemove} aria-label={`Remove ${email}`}>
        Remove
      </Button>
    </span>
  );
}

function Invite({
  onClose,
  onInvited,
}: {
  readonly onClose: () => void;
  readonly onInvited: (answer: Invited) => void;
}) {
  const { values, field } = useFields({ email: '', name: '', role: 'viewer' });
  const invite = useChange<void, Invited>(
    () => ({ path: 'members', method: 'POST', body: { ...values, email: values.email.trim() } }),
    ['members'],
  );
  return (
    <FormDialog
      title="Invite member"
      action="Invite"
      change={invite}
      onSubmit={() => invite.mutate(undefined, { onSuccess: onInvited })}
      onClose={onClose}
    >
      <TextField label="E-mail" type="email" {...field('email')} required />
      <TextField label="Name" {...field('name')} required />
      <Select label="Role" {...field('role')} options={toOptions(MEMBER_ROLES)} />
    </FormDialog>
  );
}
