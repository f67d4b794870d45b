import { useId, type ReactNode } from 'react';

type CardProps = {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly isFlush?: boolean;
};

/** A section of a page with its own heading. `isFlush`: the content has no padding, as tables need. */
export function Card({ title, description, actions, children, isFlush = false }: CardProps) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <header>
          <div>
            <h2 id={id}>{title}</h2>
            {description !== undefined && <p>{description}</p>}
          </div>
          {actions !== undefined && <div className="row">{actions}</div>}
        </header>
      )}
      {isFlush ? children : <div className="inside">{children}</div>}
    </section>
  );
}

/** A key figure with its unit. */
export function Figure({
  label,
  value,
  unit,
  note,
}: {
  readonly label: string;
  readonly value: ReactNode;
  readonly unit?: string;
  readonly note?: ReactNode;
}) {
  return (
    <div className="card figure">
      <span className="soft small">{label}</span>
      <span className="value">
        {value} {unit !== undefined && <small>{unit}</small>}
      </span>
      {note !== undefined && <span className="soft small">{note}</span>}
    </div>
  );
}

/** A list of names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Callout({
  tone = 'info',
  children,
}: {
  readonly tone?: 'info' | 'warn' | 'bad' | 'good';
  readonly children: ReactNode;
}) {
  return <div className={`callout ${tone}`}>{children}</div>;
}
