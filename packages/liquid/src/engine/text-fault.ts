import type { FieldCode, FieldError } from '@tidings/contracts/errors/error-codes';
import type { Token } from 'liquidjs';

/** Why a text cannot be a template, and where. `expected` never contains the text itself. */
export class TextFault extends Error {
  readonly code: FieldCode;
  readonly expected: string;
  private readonly position: readonly number[] | undefined;

  constructor(code: FieldCode, expected: string, token?: Pick<Token, 'getPosition'>) {
    super(expected);
    this.name = 'TextFault';
    this.code = code;
    this.expected = expected;
    this.position = token?.getPosition();
  }

  /** As a fault of the field at `pointer`. */
  at(pointer: string): FieldError {
    const [line, column] = this.position ?? [];
    return {
      pointer,
      code: this.code,
      expected: this.expected,
      ...(line !== undefined && column !== undefined && { line, column }),
    };
  }
}
