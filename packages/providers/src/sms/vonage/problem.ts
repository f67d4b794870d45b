/** A problem as Vonage reports it, in an answer or a callback. */
export type VonageProblem = {
  /** A number of the Messages API or a word of the generic errors. */
  readonly code?: string;
  /** The names of invalid parameters. */
  readonly parameters: readonly string[];
  readonly text?: string;
};

const CODE = /^[a-z0-9-]{1,40}$/;
const NUMBER = /^\d{1,6}$/;

/** Reads the body of an answer; one of another server has no code. */
export function readVonageProblem(body: string): VonageProblem {
  try {
    return toVonageProblem(JSON.parse(body));
  } catch {
    return { parameters: [] };
  }
}

/**
 * The code is the fragment of `type`, as in `https://developer.vonage.com/api-errors/messages#1120`.
 * Callbacks have it as `title` too.
 */
export function toVonageProblem(value: unknown): VonageProblem {
  const {
    type,
    title,
    detail,
    invalid_parameters: invalid,
  } = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  const [, fragment = ''] = typeof type === 'string' ? type.split('#') : [];
  const number = String(title);
  const ofTitle = NUMBER.test(number) ? number : undefined;
  const code = CODE.test(fragment) ? fragment : ofTitle;
  const text = [title, detail].filter((one) => typeof one === 'string').join(': ');
  return {
    ...(code !== undefined && { code }),
    parameters: Array.isArray(invalid)
      ? invalid.flatMap((one: { readonly name?: unknown } | null) =>
          typeof one?.name === 'string' ? [one.name] : [],
        )
      : [],
    ...(text !== '' && { text }),
  };
}
