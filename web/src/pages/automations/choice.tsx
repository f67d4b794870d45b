import { useId } from 'react';

type ChoiceProps = {
  readonly label: string;
  readonly choices: readonly {
    readonly value: string;
    readonly label: string;
    readonly hint: string;
  }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** One of few, each with what follows from it. */
export function Choice({ label, choices, value, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="choices" role="radiogroup" aria-label={label}>
      {choices.map((choice) => (
        <div key={choice.value} className="choice">
          <input
            id={`${id}-${choice.value}`}
            type="radio"
            name={id}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
            aria-describedby={`${id}-${choice.value}-hint`}
          />
          <div>
            <label htmlFor={`${id}-${choice.value}`}>{choice.label}</label>
            <div className="soft small" id={`${id}-${choice.value}-hint`}>
              {choice.hint}
            </div>
          </div>
        </div>
      ))}
    </div>
  );
}
