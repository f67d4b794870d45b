import { ClaimedUserId } from '@tidings/contracts/client-side';
import type { ErrorCode } from '@tidings/contracts/errors/error-codes';
import { AppError, isUuid } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import { asFields } from '../routes/ingest/find-faults.ts';

/**
 * The user that a request names, by the deciding id: the serviceUserId counts only without a
 * customUserId.
 */
export type NamedUser = {
  readonly customUserId: string | null;
  readonly serviceUserId: string | null;
};

export const NO_USER: NamedUser = { customUserId: null, serviceUserId: null };

type Options = ConstructorParameters<typeof AppError>[2] & { readonly envelope: unknown };

/** Rejects a batch after parsing, so the ingest log can name its user. */
export class RejectedBatchError extends AppError {
  readonly user: NamedUser;

  /** The envelope is the parsed body, which may not be an object. */
  constructor(code: ErrorCode, detail: string, { envelope, ...options }: Options) {
    super(code, detail, options);
    this.user = namedUser(envelope);
  }
}

const validateCustomUserId = createValidator<string>(ClaimedUserId);

/** `NO_USER` if the id is not a valid user id. */
export function namedUser(envelope: unknown): NamedUser {
  const { customUserId, serviceUserId } = asFields(envelope);
  if (customUserId != null)
    return isCustomUserId(customUserId) ? { customUserId, serviceUserId: null } : NO_USER;
  return typeof serviceUserId === 'string' && isUuid(serviceUserId)
    ? { customUserId: null, serviceUserId: serviceUserId.toLowerCase() }
    : NO_USER;
}

const isCustomUserId = (id: unknown): id is string => validateCustomUserId(id, 0).ok;
