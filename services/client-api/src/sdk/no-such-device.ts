import { AppError } from '@tidings/platform';

/** Also for a device of another application, and one that was forgotten: the SDK registers it anew. */
export function noSuchDevice(): AppError {
  return new AppError('not_found', 'There is no such device. Register it first.');
}
