import { useState } from 'react';
import { useSettingsChange } from '../../api/application.ts';
import { useMay } from '../../api/roles.ts';
import type { Application } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { TextField } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';

const RATES = {
  ingest: { label: 'Events, Server keys', unit: 'requests' },
  ingestClient: { label: 'Events, Client keys', unit: 'requests' },
  ingestClientAddress: { label: 'Client keys, per network address', unit: 'requests' },
  ingestBytes: { label: 'Request bodies, per key type', unit: 'bytes' },
  push: { label: 'Campaigns', unit: 'requests' },
  sdk: { label: 'All devices', unit: 'requests' },
  sdkDevice: { label: 'Each device', unit: 'requests' },
} as const;
type Name = keyof typeof RATES;
const NAMES = Object.keys(RATES) as Name[];
type Values = Readonly<Record<Name, { readonly perSecond: string; readonly burst: string }>>;

/** The rate limits of an application. Empty fields use the default of the installation. */
export function RateLimits({ application: { settings } }: { readonly application: Application }) {
  const [values, setValues] = useState<Values>(
    () =>
      Object.fromEntries(NAMES.map((name) => [name, toTexts(settings.rates?.[name])])) as Values,
  );
  const may = useMay('changeApplication');
  const change = useSettingsChange();
  const submit = (): void =>
    change.mutate(
      { rates: Object.fromEntries(NAMES.map((name) => [name, toRate(values[name])])) },
      { onSuccess: () => showToast('Saved. Active within 5 seconds.') },
    );
  const field = (name: Name, part: 'perSecond' | 'burst') => (
    <TextField
      label={`${RATES[name].label}: ${part === 'perSecond' ? `${RATES[name].unit} per second` : `burst (${RATES[name].unit})`}`}
      pointer={`/settings/rates/${name}/${part}`}
      inputMode="decimal"
      value={values[name][part]}
      onChange={(text) => setValues({ ...values, [name]: { ...values[name], [part]: text } })}
    />
  );
  return (
    <Card
      title="Rate limits"
      description="Leave both fields empty to use the default. 0 per second means no limit."
    >
      <EditForm action="Save rate limits" isAllowed={may} change={change} onSubmit={submit}>
        {NAMES.map((name) => (
          <div key={name} className="grid narrow">
            {field(name, 'perSecond')}
            {field(name, 'burst')}
          </div>
        ))}
      </EditForm>
    </Card>
  );
}

const toTexts = (rate: { readonly perSecond: number; readonly burst: number } | undefined) => ({
  perSecond: rate === undefined ? '' : String(rate.perSecond),
  burst: rate === undefined ? '' : String(rate.burst),
});

/** Null resets the limit to the default. Invalid numbers are sent unchanged, so that the field shows the service's error. */
function toRate({ perSecond, burst }: Values[Name]): object | null {
  const parseNumber = (text: string): number | string =>
    text.trim() === '' || Number.isNaN(Number(text)) ? text.trim() : Number(text);
  return perSecond.trim() === '' && burst.trim() === ''
    ? null
    : { perSecond: parseNumber(perSecond), burst: parseNumber(burst) };
}
