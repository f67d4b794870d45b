export { answerPreflights, READABLE_BY_PAGES } from './cors.ts';
export { createCredentialGuard, type CredentialGuard } from './credential-guard.ts';
export { credentialsOf, grantOf, knownGrantOf, type Credentials } from './credentials.ts';
export { createCallerBlocks, type CallerBlocks } from './caller-blocks.ts';
export {
  bucketsOf,
  rateLimited,
  rateLimitedCaller,
  settleBody,
  tellNearest,
  tellRate,
} from './count.ts';
export {
  decide,
  noteWrongKey,
  refuseCredentials,
  type Decision,
  type Door,
  type Doorkeeper,
  type Exchange,
  type Room,
} from './decide.ts';
export { createKeyCache, type KeyCache } from './key-cache.ts';
export { createKeyUses, type KeyUses } from './key-uses.ts';
export {
  accessConfig,
  clientRatesConfig,
  clientRatesOf,
  openAccess,
  openRates,
  type Access,
} from './open-access.ts';
export { createRates, halfOf, type CountedBy, type Rates } from './rates.ts';
export { createWrongKeys, type WrongKeys } from './wrong-keys.ts';
