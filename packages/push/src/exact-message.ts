import { parseExactJson } from '@tidings/platform';

/**
 * The same fields of a message with every digit of their integers, as bigints where a double rounds them. `text` is
 * what the whole request was parsed from: only the fields concerned are parsed again, so that what stands beside them
 * (100,000 ids of digits, fields of any depth that nobody knows) costs next to nothing. The caller has bounded the
 * depth of the fields.
 */
export function exactMessage<T extends Readonly<Record<string, unknown>>>(
  message: T,
  text: string,
): T {
  const rounded = Object.keys(message).filter((field) => holdsRoundedInteger(message[field]));
  if (rounded.length === 0) return message;
  const messageText = memberText(text, 'message') ?? '';
  const exact = rounded.map((field): [string, unknown] => {
    const fieldText = memberText(messageText, field);
    return [field, fieldText === null ? message[field] : parseExactJson(fieldText)];
  });
  return { ...message, ...Object.fromEntries(exact) };
}

function holdsRoundedInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value)
    ? value.some(holdsRoundedInteger)
    : Object.values(value).some(holdsRoundedInteger);
}

const STRING = /"(?:[^"\\]|\\.)*"/y;
const DELIMITER = /[{}[\],:"]/g;

/** The text of a member of the object that `text`, valid JSON, is; of several of one name the last counts, as for JSON.parse. */
function memberText(text: string, name: string): string | null {
  let found: string | null = null;
  let depth = 0;
  let key: string | null = null;
  let valueStart: number | null = null;
  const endMember = (end: number): void => {
    if (valueStart !== null && key === name) found = text.slice(valueStart, end);
    valueStart = null;
  };
  DELIMITER.lastIndex = 0;
  for (let match = DELIMITER.exec(text); match !== null; match = DELIMITER.exec(text)) {
    const [delimiter] = match;
    if (delimiter === '"') {
      STRING.lastIndex = match.index;
      const [literal = ''] = STRING.exec(text) ?? [];
      DELIMITER.lastIndex = match.index + literal.length;
      if (depth === 1 && valueStart === null) key = JSON.parse(literal) as string;
    } else if (delimiter === '{' || delimiter === '[') depth += 1;
    else if (delimiter === ':' && depth === 1) valueStart = match.index + 1;
    else if (delimiter === ',' && depth === 1) endMember(match.index);
    else if (delimiter === '}' || delimiter === ']') {
      depth -= 1;
      if (depth === 0) endMember(match.index);
    }
  }
  return found;
}
