export { answerPreflights, READABLE_BY_PAGES } from './cors.ts';
export { createCredentialGuard, type CredentialGuard } from './credential-guard.ts';
export { readCredentials, grantOf, knownGrantOf, type Credentials } from './credentials.ts';
export { createCallerBlocks } from './caller-blocks.ts';
export {
  selectBuckets,
  rateLimitedError,
  callerRateLimitedError,
  settleBody,
  addTightestRateHeaders,
  addRateHeaders,
} from './enforce-rates.ts';
export { authorize, rejectCredentials } from './authorize.ts';
export type { Authorizer, Decision, GuardedEndpoint, RequestContext } from './authorizer.ts';
export { createKeyCache, type KeyCache } from './key-cache.ts';
export type { KeyUses } from './key-uses.ts';
export {
  accessConfig,
  clientRatesConfig,
  listClientRates,
  openAccess,
  openRates,
  type Access,
} from './open-access.ts';
export { createRates, halveRate, type RateNames, type Rates } from './rates.ts';
export { createWrongKeys, type WrongKeys } from './wrong-keys.ts';
