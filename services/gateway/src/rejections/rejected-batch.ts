import { ClaimedUserId, type ErrorCode } from '@tidings/contracts';
import { AppError, compileValidator, isUuid } from '@tidings/platform';
import { fieldsOf } from '../routes/ingest/find-faults.ts';

/** Of whom a request says that it is, by the id that decides: without a customUserId by the serviceUserId. */
export type NamedUser = {
  readonly customUserId: string | null;
  readonly serviceUserId: string | null;
};

export const NO_USER: NamedUser = { customUserId: null, serviceUserId: null };

type Options = ConstructorParameters<typeof AppError>[2] & { readonly envelope: unknown };

/** A batch that is refused after it was read: the ingest log says of whom it was. */
export class RejectedBatchError extends AppError {
  readonly user: NamedUser;

  /** The envelope is whatever was parsed, maybe no object at all. */
  constructor(code: ErrorCode, detail: string, { envelope, ...options }: Options) {
    super(code, detail, options);
    this.user = namedUser(envelope);
  }
}

const validateCustomUserId = compileValidator<string>(ClaimedUserId);

/** Nobody where the id is none that a user could have. */
export function namedUser(envelope: unknown): NamedUser {
  const { customUserId, serviceUserId } = fieldsOf(envelope);
  if (customUserId != null)
    return isCustomUserId(customUserId) ? { customUserId, serviceUserId: null } : NO_USER;
  return typeof serviceUserId === 'string' && isUuid(serviceUserId)
    ? { customUserId: null, serviceUserId: serviceUserId.toLowerCase() }
    : NO_USER;
}

const isCustomUserId = (id: unknown): id is string => validateCustomUserId(id, 0).ok;
