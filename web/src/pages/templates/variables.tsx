import type { Channel } from '@tidings/contracts/channels/channels';
import { TEMPLATE_ATTRIBUTES, TEMPLATE_USER_FIELDS } from '@tidings/contracts/push/templates';
import { errorMessage, readFieldErrors } from '../../api/problem.ts';
import type { TemplatePreview } from '../../api/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { CheckWarnings } from '../compose/check-warnings.tsx';
import { FAILS } from './rendered-message.tsx';

type Props = {
  readonly channel: Channel;
  readonly isFilledIn: boolean;
  readonly check: { readonly data: TemplatePreview | undefined; readonly error: Error | null };
};

/** The variables of a template while it is edited, and which of them every user needs. */
export function Variables({ channel, isFilledIn, check: { data, error } }: Props) {
  return (
    <Card title="Variables" description="Filled in with the values of each user.">
      <div role="status" className="stack tight">
        {!isFilledIn ? (
          <p className="soft">Fill in the message to see its variables.</p>
        ) : error !== null && readFieldErrors(error).length > 0 ? (
          <Callout tone="bad">The template has a fault: see the marked fields.</Callout>
        ) : error !== null ? (
          <Callout tone="bad">{errorMessage(error)}</Callout>
        ) : data === undefined ? (
          <p className="soft">Checking…</p>
        ) : (
          <Found {...data} />
        )}
      </div>
      <p className="soft small wrap">
        You can use {TEMPLATE_USER_FIELDS.map((field) => `user.${field}`).join(', ')}, user.
        {TEMPLATE_ATTRIBUTES}.NAME, campaign.id
        {channel === 'EMAIL' && ', and unsubscribeUrl anywhere in the body'}. For example:{' '}
        <code>{"{{ user.firstName | default: 'there' }}"}</code>
      </p>
    </Card>
  );
}

/** Every user has a value for these. */
const ALWAYS: ReadonlySet<string> = new Set([
  'user.customUserId',
  'user.registeredAt',
  'campaign.id',
  'unsubscribeUrl',
]);

function Need({ name, isRequired }: TemplatePreview['variables'][number]) {
  if (ALWAYS.has(name)) return <Badge tone="good">Always has a value</Badge>;
  return (
    <Badge tone={isRequired ? 'warn' : 'good'}>{isRequired ? 'Required' : 'Has a default'}</Badge>
  );
}

function Found({ variables, warnings }: TemplatePreview) {
  return (
    <>
      {variables.length === 0 ? (
        <p>None: every user gets the same message.</p>
      ) : (
        <ul className="stack tight">
          {variables.map(({ name, isRequired }) => (
            <li key={name} className="row">
              <code className="wrap" dir="auto">
                {name}
              </code>
              <Need name={name} isRequired={isRequired} />
            </li>
          ))}
        </ul>
      )}
      {variables.some(({ name, isRequired }) => isRequired && !ALWAYS.has(name)) && (
        <p className="small">
          Some users may have no value for a required variable. {FAILS} A default avoids that.
        </p>
      )}
      <CheckWarnings warnings={warnings} />
    </>
  );
}
