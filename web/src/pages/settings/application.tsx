import { COUNTRIES } from '@tidings/contracts/countries';
import { useState } from 'react';
import { useApplication, useSettingsChange } from '../../api/application.ts';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import { refreshSession } from '../../api/session.ts';
import type { Application } from '../../api/types.ts';
import { toText } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { CopyId } from '../../ui/copy-button.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { Checkbox, Form, TextField } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toOptions } from '../../ui/options.ts';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { NewApplication } from './new-application.tsx';
import { RateLimits } from './rate-limits.tsx';
import { UserTokenSecret } from './user-token-secret.tsx';
import { SettingsPage } from './settings-page.tsx';
import { TimeZoneField } from './time-zone-field.tsx';

export function ApplicationPage() {
  const read = useApplication();
  const [isCreating, setCreating] = useState(false);
  const mayCreate = useMay('createApplications');
  return (
    <SettingsPage
      title="Settings"
      description="Defaults for messages, permissions of devices, and data retention of this application."
      actions={mayCreate && <Button onClick={() => setCreating(true)}>New application</Button>}
    >
      <Loaded read={read} lines={6}>
        {(application) => (
          <div className="columns">
            <div className="stack">
              <SettingsForm key={application.applicationId} application={application} />
              <RateLimits key={`rates ${application.applicationId}`} application={application} />
            </div>
            <div className="stack">
              <Identity application={application} />
              <UserTokenSecret applicationId={application.applicationId} />
            </div>
          </div>
        )}
      </Loaded>
      {isCreating && <NewApplication onClose={() => setCreating(false)} />}
    </SettingsPage>
  );
}

function Identity({ application: { applicationId, name } }: { readonly application: Application }) {
  const [text, setText] = useState(name);
  const may = useMay('changeApplication');
  const rename = useChange<void>(
    () => ({ path: `applications/${applicationId}`, method: 'PATCH', body: { name: text } }),
    ['applications'],
  );
  return (
    <Card title="Application">
      <div className="stack tight">
        <span className="soft small">Application ID (header X-Application-Id)</span>
        <CopyId id={applicationId} label="application ID" />
      </div>
      <Form
        onSubmit={() =>
          rename.mutate(undefined, {
            onSuccess: () => void refreshSession().then(() => showToast('Saved')),
          })
        }
        error={rename.error}
      >
        <TextField label="Name" pointer="/name" value={text} onChange={setText} disabled={!may} />
        {may && (
          <div className="row">
            <Button type="submit" isBusy={rename.isPending}>
              Rename
            </Button>
          </div>
        )}
      </Form>
    </Card>
  );
}

const TEXTS = [
  'defaultSubject',
  'defaultCountry',
  'timeZone',
  'userTokens',
  'eventRetentionDays',
] as const;
const SWITCHES = {
  tracking: {
    label: 'Track e-mail opens and link clicks',
    hint: 'Uses a tracking image and redirects links through this service',
  },
  keepSentMessages: {
    label: 'Keep what was filled into personal messages',
    hint: 'As long as the delivery: who may render messages sees what each user got',
  },
  sendUntested: {
    label: 'Send through untested channels',
    hint: 'Off: a channel needs a successful test send first',
  },
  dedupeResolvedUsers: {
    label: 'Treat events with the same user and timestamp as duplicates',
    hint: 'Also without a serviceUserId. Does not apply to events of Client keys without a user token',
  },
  clientKeysChangeContacts: {
    label: 'Client keys may change profiles and contacts without a user token',
    hint: 'Including values that a Server key has set',
  },
  clientKeysDefineEvents: {
    label: 'Client keys may create event definitions',
    hint: 'Off: events of a Client key with an unknown customName are dropped',
  },
  allowListExemptsClientKeys: {
    label: 'Client keys skip the allow-list',
    hint: 'For browsers and apps of your users, whose addresses vary',
  },
} as const;
/** Defaults of switches that are on unless set. */
const SWITCHES_DEFAULT: Partial<Record<keyof typeof SWITCHES, boolean>> = {
  tracking: true,
  keepSentMessages: true,
  clientKeysDefineEvents: true,
};
type Switch = keyof typeof SWITCHES;
const SWITCH_NAMES = Object.keys(SWITCHES) as Switch[];

function SettingsForm({ application: { settings } }: { readonly application: Application }) {
  const { values, field } = useFields(
    Object.fromEntries(TEXTS.map((name) => [name, toText(settings[name])])) as Record<
      (typeof TEXTS)[number],
      string
    >,
    (name) => `/settings/${name}`,
  );
  const [switches, setSwitches] = useState(
    () =>
      Object.fromEntries(
        SWITCH_NAMES.map((name) => [name, settings[name] ?? SWITCHES_DEFAULT[name] ?? false]),
      ) as Readonly<Record<Switch, boolean>>,
  );
  const may = useMay('changeApplication');
  const change = useSettingsChange();
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  const days = values.eventRetentionDays.trim();
  const submit = (): void =>
    change.mutate(
      {
        defaultSubject: orNull(values.defaultSubject),
        defaultCountry: orNull(values.defaultCountry),
        timeZone: orNull(values.timeZone),
        userTokens: orNull(values.userTokens),
        eventRetentionDays: days === '' ? null : Number.isNaN(Number(days)) ? days : Number(days),
        ...switches,
      },
      { onSuccess: () => showToast('Saved. Active within 5 seconds.') },
    );
  return (
    <Card title="Sending, devices and data">
      <EditForm action="Save" isAllowed={may} change={change} onSubmit={submit}>
        <div className="grid narrow">
          <Select
            label="Default country"
            {...field('defaultCountry')}
            options={toOptions(COUNTRIES, 'None', countryName)}
            hint="For phone numbers without a country code"
          />
          <TimeZoneField
            {...field('timeZone')}
            hint="Of charts and days, and for users without a known time zone. Default: UTC"
          />
        </div>
        <TextField
          label="Default subject"
          {...field('defaultSubject')}
          hint="For e-mails without a title"
        />
        <div className="grid narrow">
          <Select
            label="User tokens"
            {...field('userTokens')}
            options={[
              { value: '', label: 'Required (default)' },
              { value: 'optional', label: 'Optional – anyone can claim any ID (insecure)' },
            ]}
            hint="How a device proves its user’s identity"
          />
          <TextField
            label="Keep events for (days)"
            {...field('eventRetentionDays')}
            inputMode="numeric"
            hint="Leave empty to use the default of the installation"
          />
        </div>
        {values.userTokens === 'optional' && (
          <Callout tone="warn">
            <p>
              Client keys are public. Without user tokens, every visitor of your pages can act as
              any user: read the user’s messages and overwrite the user’s e-mail address, phone
              number and profile. Even values set by your back end, regardless of the switches
              below.
            </p>
          </Callout>
        )}
        {SWITCH_NAMES.map((name) => (
          <Checkbox
            key={name}
            label={SWITCHES[name].label}
            hint={SWITCHES[name].hint}
            isChecked={switches[name]}
            onChange={(isOn) => setSwitches({ ...switches, [name]: isOn })}
          />
        ))}
        {switches.clientKeysChangeContacts && (
          <Callout tone="warn">
            <p>
              Client keys are public. Every visitor of your pages can change the e-mail address and
              phone number of any user and receive that user’s messages.
            </p>
          </Callout>
        )}
      </EditForm>
    </Card>
  );
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
const countryName = (code: string): string => `${regions.of(code) ?? code} (${code})`;
