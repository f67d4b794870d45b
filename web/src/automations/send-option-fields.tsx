import type { SendOptions } from '@tidings/contracts/automations/definition';
import { withoutAbsent } from '../conditions/leaf-props.ts';
import { Checkbox } from '../ui/field.tsx';

/** What a send does for people whom it does not reach, and while it is quiet for them. */
export function SendOptionFields({
  options,
  hasQuietHours,
  onChange,
}: {
  readonly options: SendOptions;
  /** Only marketing has them. */
  readonly hasQuietHours: boolean;
  readonly onChange: (options: SendOptions) => void;
}) {
  const set = (changes: { readonly [Key in keyof SendOptions]: SendOptions[Key] | undefined }) =>
    onChange(withoutAbsent<SendOptions>({ ...options, ...changes }));
  return (
    <>
      <Checkbox
        label="People whom no channel reaches leave"
        hint="Otherwise they go on with the next step."
        isChecked={options.onUnreachable === 'exit'}
        onChange={(isOn) => set({ onUnreachable: isOn ? 'exit' : undefined })}
      />
      {(hasQuietHours || options.quietHours !== undefined) && (
        <Checkbox
          label="Wait here while it is quiet for them"
          hint="What ends it is asked again afterwards. Otherwise the message waits, and may expire."
          isChecked={options.quietHours === 'wait'}
          onChange={(isOn) => set({ quietHours: isOn ? 'wait' : undefined })}
        />
      )}
    </>
  );
}
