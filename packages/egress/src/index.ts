export { EgressRefusedError, createEgress, egressConfig, type Egress } from './egress.ts';
