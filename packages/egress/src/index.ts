export { EgressRefusedError, createEgress, egressConfig, type Egress } from './egress.ts';
export { createHttpSender, type HttpAnswer, type HttpSender } from './http-sender.ts';
export { signatureHeaders } from './signature.ts';
