import { HIDDEN } from '@tidings/api-spec/hidden';
import { AppError } from '@tidings/platform';
import { createPrivateKey } from 'node:crypto';
import type { Completion } from './completion.ts';

const CHARS_MAX = 16_000;
const EXPECTED =
  'the JSON key file of a service account, with project_id, client_email and private_key';

/**
 * Accepts a service account as text or JSON object. Stored as one secret text, because all of it is
 * secret.
 */
export const completeServiceAccount: Completion = ({ serviceAccount, ...rest }) => {
  if (serviceAccount === HIDDEN) return { ...rest, serviceAccount };
  const text = typeof serviceAccount === 'string' ? serviceAccount : JSON.stringify(serviceAccount);
  if (text.length > CHARS_MAX || !isServiceAccount(text)) {
    throw new AppError('validation_failed', 'The settings are not valid.', {
      errors: [{ pointer: '/serviceAccount', code: 'invalid_value', expected: EXPECTED }],
    });
  }
  return { ...rest, serviceAccount: text };
};

function isServiceAccount(text: string): boolean {
  try {
    const {
      project_id: projectId,
      client_email: email,
      private_key: privateKey,
      token_uri: tokenUri = '',
    } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    createPrivateKey(String(privateKey));
    return (
      [projectId, email, tokenUri].every((value) => typeof value === 'string') &&
      projectId !== '' &&
      email !== ''
    );
  } catch {
    return false;
  }
}
