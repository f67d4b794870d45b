/** Kinds of confidential values. */
export type CanaryKind =
  | 'api key'
  | 'administrator token'
  | 'provider credential'
  | 'signing secret'
  | 'user token'
  | 'encryption key'
  | 'push address'
  | 'phone number'
  | 'e-mail address'
  | 'name'
  | 'message text';
/** A unique value and its kind. */
export type Canary = { readonly kind: CanaryKind; readonly name: string; readonly value: string };

/** Credentials, which must never appear unencrypted: not in a dump, log, metric or response. */
export const SECRET_KINDS: readonly CanaryKind[] = [
  'api key',
  'administrator token',
  'provider credential',
  'signing secret',
  'user token',
  'encryption key',
];

/** The canaries in a text, including their JSON, URL, base64 and hex encodings. */
export function canariesIn(text: string, canaries: readonly Canary[]): readonly Canary[] {
  const lower = text.toLowerCase();
  return canaries.filter(({ value }) =>
    listSpellings(value).some((spelling) => lower.includes(spelling.toLowerCase())),
  );
}

const spellings = new Map<string, readonly string[]>();

function listSpellings(value: string): readonly string[] {
  const known = spellings.get(value);
  if (known !== undefined) return known;
  const bytes = Buffer.from(value);
  const made = [
    ...new Set([
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      bytes.toString('hex'),
      ...[0, 1, 2].map((shift) => base64Within(bytes, shift)),
    ]),
  ];
  spellings.set(value, made);
  return made;
}

/** The part of a base64 encoding that is independent of the surrounding bytes. */
function base64Within(bytes: Buffer, shift: number): string {
  const skipped = shift === 0 ? 0 : 3 - shift;
  const whole = bytes.subarray(skipped, skipped + Math.floor((bytes.length - skipped) / 3) * 3);
  return whole.toString('base64');
}
