declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  const ece: {
    /** Decrypts a body of RFC 8188 with the keys of its receiver. */
    decrypt(
      body: Buffer,
      options: {
        readonly version: 'aes128gcm';
        readonly privateKey: ECDH;
        readonly authSecret: string;
      },
    ): Buffer;
  };
  export = ece;
}
