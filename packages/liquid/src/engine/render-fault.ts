import type { RenderFaultCode } from '@tidings/contracts/push/templates';

/** Why a text could not be rendered. `detail` names variables and places, never a value. */
export class RenderFault extends Error {
  readonly code: RenderFaultCode;
  readonly detail: string;

  constructor(code: RenderFaultCode, detail: string, options?: ErrorOptions) {
    super(`${code}: ${detail}`, options);
    this.name = 'RenderFault';
    this.code = code;
    this.detail = detail;
  }
}
