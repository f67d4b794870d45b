export {
  EgressBlockedError,
  createEgress,
  egressConfigs,
  type Egress,
  type EgressConfigSpec,
} from './egress.ts';
export { createEgressHttp, egressHttpConfig, type EgressHttp } from './http-client.ts';
export { HttpFailure, type HttpAnswer, type HttpRequest } from './http-exchange.ts';
export { createPushServices, pushServicesConfig } from './push-services.ts';
export { parseRetryAfterMs } from './retry-after.ts';
export { signWebhook } from './standard-webhooks.ts';
