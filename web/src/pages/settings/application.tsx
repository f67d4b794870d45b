import { COUNTRIES } from '@tidings/contracts';
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
import { Checkbox, Form, Select, TextField } from '../../ui/field.tsx';
import { toOptions } from '../../ui/options.ts';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { NewApplication } from './new-application.tsx';
import { RateLimits } from './rate-limits.tsx';
import { UserTokenSecret } from './user-token-secret.tsx';
import { SettingsPage } from './settings-page.tsx';

export function ApplicationPage() {
  const read = useApplication();
  const [isCreating, setCreating] = useState(false);
  const mayCreate = useMay('createApplications');
  return (
    <SettingsPage
      title="Settings"
      description="Of this application: what messages are sent with, what devices may do, and how long data is kept."
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
        <span className="soft small">Application id, the X-Application-Id of every request</span>
        <CopyId id={applicationId} label="the application id" />
      </div>
      <Form
        onSubmit={() =>
          rename.mutate(undefined, {
            onSuccess: () => void refreshSession().then(() => showToast('Saved.')),
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
    label: 'Track opened mails and followed links',
    hint: 'By a picture and by links through this service',
  },
  sendUntested: {
    label: 'Send through untested channels',
    hint: 'Else a channel needs a test send that succeeded',
  },
  dedupeResolvedUsers: {
    label: 'Second duplicate rule for customUserIds too',
    hint: 'An event of the same user and millisecond counts as a duplicate, also without a serviceUserId. Unproved events of pages are left out',
  },
  clientKeysChangeContacts: {
    label: 'Client keys may change profiles and contacts without a proof',
    hint: 'Also a value that a Server key has set',
  },
  clientKeysDefineEvents: {
    label: 'Client keys may create event definitions',
    hint: 'Off: events of a Client key with an unknown customName are dropped',
  },
  allowListExemptsClientKeys: {
    label: 'The allow-list does not hold for Client keys',
    hint: 'For browsers and apps of your users, which come from anywhere',
  },
} as const;
/** What holds where nothing is set. */
const SWITCHES_DEFAULT: Partial<Record<keyof typeof SWITCHES, boolean>> = {
  tracking: true,
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
      { onSuccess: () => showToast('Saved; gateways know it within 5 seconds.') },
    );
  return (
    <Card title="Sending, devices and data">
      <EditForm action="Save" isAllowed={may} change={change} onSubmit={submit}>
        <div className="grid narrow">
          <Select
            label="Default country"
            {...field('defaultCountry')}
            options={toOptions(COUNTRIES, 'None', countryName)}
            hint="Of phone numbers without a country code"
          />
          <TextField
            label="Time zone"
            {...field('timeZone')}
            hint="Of users whose own is not known; empty: UTC"
            placeholder="Europe/Berlin"
            list="time-zones"
          />
        </div>
        <datalist id="time-zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <TextField
          label="Default subject"
          {...field('defaultSubject')}
          hint="Of e-mails without a title"
        />
        <div className="grid narrow">
          <Select
            label="User tokens"
            {...field('userTokens')}
            options={[
              { value: '', label: 'Required (default)' },
              { value: 'optional', label: 'Optional – anyone can claim any ID (insecure)' },
            ]}
            hint="How a device proves whose it is"
          />
          <TextField
            label="Keep events for days"
            {...field('eventRetentionDays')}
            inputMode="numeric"
            hint="Empty: as the installation does"
          />
        </div>
        {values.userTokens === 'optional' && (
          <Callout tone="warn">
            <p>
              A Client key is public. Without user tokens every visitor of your pages can act as any
              user: read the user’s messages, and overwrite the user’s e-mail address, phone number
              and profile, also where your back end set them and whatever the switches below say.
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
              A Client key is public. Every visitor of your pages can set the e-mail address and
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
