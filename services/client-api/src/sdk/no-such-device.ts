import { AppError } from '@tidings/platform';

/**
 * Also for deleted devices and devices of another application. The SDK then registers the device
 * again.
 */
export function noSuchDevice(): AppError {
  return new AppError('not_found', 'Unknown device. Register it first.');
}
