import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;

/** The content of one file of a ZIP archive. @throws if the archive has no such file */
export function readZipEntry(archive: Buffer, wanted: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + END_BYTES > archive.length || archive.readUInt32LE(end) !== END_OF_DIRECTORY)
    throw new Error('this is no ZIP archive');
  const entries = archive.readUInt16LE(end + 10);
  for (let index = 0, at = archive.readUInt32LE(end + 16); index < entries; index += 1) {
    const nameBytes = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    if (name === wanted)
      return contentAt(archive, {
        header: archive.readUInt32LE(at + 42),
        bytes: archive.readUInt32LE(at + 20),
        isStored: archive.readUInt16LE(at + 10) === 0,
      });
    at += ENTRY_BYTES + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`the archive has no ${wanted}`);
}

function contentAt(
  archive: Buffer,
  {
    header,
    bytes,
    isStored,
  }: { readonly header: number; readonly bytes: number; readonly isStored: boolean },
): Buffer {
  const start =
    header +
    LOCAL_HEADER_BYTES +
    archive.readUInt16LE(header + 26) +
    archive.readUInt16LE(header + 28);
  const content = archive.subarray(start, start + bytes);
  return isStored ? content : inflateRawSync(content);
}
