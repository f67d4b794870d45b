import { Select } from '../../ui/select.tsx';

type Props = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly pointer?: string;
  readonly hint: string;
};

const ZONES = Intl.supportedValuesOf('timeZone');

/** A time zone by its IANA name, of those that the browser knows. Empty: that of the service, UTC. */
export function TimeZoneField({ value, ...field }: Props) {
  // A stored one may have another name here.
  const zones = value === '' || ZONES.includes(value) ? ZONES : [value, ...ZONES];
  return (
    <Select
      label="Time zone"
      {...field}
      value={value}
      options={[
        { value: '', label: 'UTC' },
        ...zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
      ]}
    />
  );
}
