import type { ComponentProps } from 'react';
import { ApiCall } from './api-call.tsx';
import { Empty } from './states.tsx';

type FirstEmptyProps = Omit<ComponentProps<typeof Empty>, 'icon'> & {
  /** Rows as they will look, with words in them. */
  readonly ghost: readonly (readonly string[])[];
  /** How it is done without the page. */
  readonly call: ComponentProps<typeof ApiCall>;
};

/** A list that never had anything: what it will look like, and two ways to begin. */
export function FirstEmpty({ ghost, call, ...empty }: FirstEmptyProps) {
  return (
    <div className="first-empty">
      <table className="lined ghost" aria-hidden="true">
        <tbody>
          {ghost.map((cells) => (
            <tr key={cells.join()}>
              {cells.map((cell) => (
                <td key={cell}>
                  <span className="cut">{cell}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Empty {...empty} />
      <details className="by-api">
        <summary>By the API</summary>
        <ApiCall {...call} />
      </details>
    </div>
  );
}
