/** An error of FCM v1 (google.rpc.Status); `code` is the FCM error code in its details. */
export type FcmRejection = {
  readonly status: number;
  readonly rpcStatus: string;
  readonly message: string;
  readonly code?: string;
  /** Invalid fields of the request. */
  readonly violations?: readonly { readonly field: string; readonly description: string }[];
  readonly retryAfterSeconds?: number;
};

export const UNAUTHENTICATED: FcmRejection = {
  status: 401,
  rpcStatus: 'UNAUTHENTICATED',
  message:
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
};
export const UNREGISTERED: FcmRejection = {
  status: 404,
  rpcStatus: 'NOT_FOUND',
  code: 'UNREGISTERED',
  message: 'Requested entity was not found.',
};
export const BAD_TOKEN: FcmRejection = {
  status: 400,
  rpcStatus: 'INVALID_ARGUMENT',
  code: 'INVALID_ARGUMENT',
  message: 'The registration token is not a valid FCM registration token',
};
export const TOO_BIG: FcmRejection = {
  status: 400,
  rpcStatus: 'INVALID_ARGUMENT',
  code: 'INVALID_ARGUMENT',
  message: 'Android message is too big',
};
export const OTHER_PROJECT: FcmRejection = {
  status: 403,
  rpcStatus: 'PERMISSION_DENIED',
  message: 'Permission denied on resource project.',
};

export function invalidField(field: string, description: string): FcmRejection {
  return {
    status: 400,
    rpcStatus: 'INVALID_ARGUMENT',
    message: `Invalid value at '${field}': ${description}`,
    violations: [{ field, description }],
  };
}

const BY_CODE: Readonly<Record<string, FcmRejection>> = {
  UNREGISTERED,
  INVALID_ARGUMENT: BAD_TOKEN,
  BAD_REQUEST: invalidField('message.data', 'rejected by a fault of the sandbox'),
  SENDER_ID_MISMATCH: {
    status: 403,
    rpcStatus: 'PERMISSION_DENIED',
    code: 'SENDER_ID_MISMATCH',
    message: 'SenderId mismatch',
  },
  PERMISSION_DENIED: OTHER_PROJECT,
  THIRD_PARTY_AUTH_ERROR: {
    status: 401,
    rpcStatus: 'UNAUTHENTICATED',
    code: 'THIRD_PARTY_AUTH_ERROR',
    message: 'Auth error from APNS or Web Push Service',
  },
  UNAUTHENTICATED,
  QUOTA_EXCEEDED: {
    status: 429,
    rpcStatus: 'RESOURCE_EXHAUSTED',
    code: 'QUOTA_EXCEEDED',
    message: 'Quota exceeded for quota metric messages per minute.',
  },
  UNAVAILABLE: {
    status: 503,
    rpcStatus: 'UNAVAILABLE',
    code: 'UNAVAILABLE',
    message: 'The service is currently unavailable.',
  },
  INTERNAL: {
    status: 500,
    rpcStatus: 'INTERNAL',
    code: 'INTERNAL',
    message: 'Internal error encountered.',
  },
};
const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'UNREGISTERED',
  429: 'QUOTA_EXCEEDED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** The rejection for a fault: by FCM code, else the usual one for its status. */
export function rejectionForFault({
  status,
  code,
  retryAfterSeconds,
}: {
  readonly status?: number;
  readonly code?: string;
  readonly retryAfterSeconds?: number;
}): FcmRejection {
  const word =
    code ??
    (status === undefined ? 'UNREGISTERED' : (CODE_BY_STATUS[status] ?? 'UNSPECIFIED_ERROR'));
  const usual = BY_CODE[word] ?? {
    status: status ?? 400,
    rpcStatus: 'UNKNOWN',
    code: word,
    message: 'Rejected by a fault of the sandbox',
  };
  return {
    ...usual,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** The response body. */
export function renderBody({ status, rpcStatus, message, code, violations }: FcmRejection): object {
  const details = [
    ...(violations === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }]),
    ...(code === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }]),
  ];
  return {
    error: { code: status, message, status: rpcStatus, ...(details.length > 0 && { details }) },
  };
}
